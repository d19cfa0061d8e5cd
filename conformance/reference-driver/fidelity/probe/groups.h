/* The groups of calls. Each runs in a process of its own, which has not initialised the driver yet. */
#pragma once
#include "lines.h"

/* Groups with importers, which are on `importer_device`. */
void legacy_opens(void);
void legacy_contexts(void);
void events(void);
void vmm(void);
void pools(void);
void deaths(void);
void peer_copies(void);
void destroyed_peers(void);
void pools_in_use(void);

/* Groups that use only the exporter's device. */
void environment(void);
void flags_of_opens(void);
void small_neighbours(void);
void stale_handles(void);
void reserved_addresses(void);
void fabric_pools(void);
void files_of_the_dead(void);
void stores_of_another_process(void);
void legacy_handles(void);
void vmm_refusals(void);
void fabric(void);
void foreign_descriptors(void);
void large_pools(void);
void frees_without_a_context(void);
void empty_allocations(void);
void host_pools(void);
void export_tables(void);
void contexts_of_later_signatures(void);
void callbacks(void);
void modules(void);
void profilers(void);
void libraries(void);
void captures(void);
void joined_captures(void);
void contexts_of_one_device(void);
void import_of_another_context(void);
void first_launches(void);
void calls_beside_a_capture(void);
void capture_of_a_blocking_stream(void);
void capture_and_another_thread(void);
void limits(void);
void flipped_bits(void);
void fork_after_init(void);

/* Similar calls of the runtime. */
void runtime(void);

/* Loads the runtime: the library at a path, unless that is null, or else the newest libcudart. Returns 0 if none exists. */
int find_runtime(const char *path);
