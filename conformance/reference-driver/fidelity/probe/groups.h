/* The groups of questions. Each runs in a process of its own, which has not initialised the driver yet. */
#pragma once
#include "lines.h"

/* With importers on `importer_device`. */
void legacy_opens(void);
void legacy_contexts(void);
void events(void);
void vmm(void);
void pools(void);
void deaths(void);

/* On the exporter's device alone. */
void environment(void);
void legacy_handles(void);
void vmm_refusals(void);
void fabric(void);
void foreign_descriptors(void);
void large_pools(void);
void limits(void);
void flipped_bits(void);
void fork_after_init(void);

/* The same questions in the runtime's names. */
void runtime(void);

/* Whether there is a runtime: the driver's library where it has those functions too, or else the newest libcudart. */
int find_runtime(const char *driver);
