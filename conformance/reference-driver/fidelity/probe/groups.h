/* The groups of questions. Each runs in a process of its own, which has not initialised the driver yet. */
#pragma once
#include "lines.h"

/* With importers on the exporter's device or on another one. */
void legacy_opens(int device);
void legacy_contexts(int device);
void events(int device);
void vmm(int device);
void pools(int device);
void deaths(int device);

/* Whatever importer there is, it is on the exporter's device. */
void environment(void);
void legacy_handles(void);
void vmm_refusals(void);
void fabric(void);
void foreign_descriptors(void);
void large_pools(void);
void limits(void);
void flipped_bits(void);
void fork_after_init(void);

/* The same questions in the runtime's names, to the library that holds it. */
void runtime(void *library);
