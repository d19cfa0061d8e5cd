//! The observer: a process that looks at the processes of a case from outside.

use std::collections::BTreeSet;

use conformance::calls::usage::Usage;
use conformance::{KIB, MIB, Outcome, Role, Stop, models, trace};

use crate::support::device_memory::free_in_the_end;
use crate::support::growth::{
    CHILDREN, DESCRIPTORS, MAPPED, MAPPINGS, NEW_SHARED_FILES, check_free_again, check_growth,
};

/// What a process may have more of than before.
#[derive(Clone, Copy)]
struct Slack {
    descriptors: usize,
    children: usize,
    shared_files: usize,
    mappings: usize,
    mapped: u64,
}

/// One round of so many may leave a mapping or a page of memory, which is noise. A leak that happens more often is noticed,
/// in a small load too.
const ROUNDS_OF_A_LEAK: usize = 10;

/// The most leaks that are noise, however many rounds there are. With more of them, a leak in every hundredth round of a
/// full load would be noise too.
const MOST_NOISE: usize = 16;

const PAGE: u64 = 4 * KIB;

/// What an allocator may still take after the first look, although a small load ran before it. On an H100, 400
/// KiB were seen, and no mapping.
const OF_AN_ALLOCATOR: u64 = MIB;

/// The slack under a sanitizer, whose allocator keeps freed memory and the stack of each allocation.
const OF_A_SANITIZER: Slack = Slack { mappings: 32, mapped: 32 * MIB, ..NOTHING };

const NOTHING: Slack = Slack { descriptors: 0, children: 0, shared_files: 0, mappings: 0, mapped: 0 };

/// In a call, a process holds what it is about to give back.
const IN_A_CALL: Slack = Slack { descriptors: 16, children: 1, shared_files: 4, mappings: 64, mapped: 64 * MIB };

/// What open memory may take of the address space: a driver maps whole blocks, and may map what describes them.
const MAPPINGS_OF_MEMORY: usize = 4;
const MAPPED_OF_MEMORY: u64 = 8 * MIB;

/// What a driver may keep of the device's memory, at most. The reference driver keeps nothing; a real one takes and returns
/// whole pages of 2 MiB.
const KEPT_ON_A_GPU: u64 = 32 * MIB;
const PAGE_OF_A_GPU: u64 = 2 * MIB;

const DURING: &str = "during the load";
const AFTER: &str = "after the load";

/// What an observer saw of processes and of the device before a load.
pub(super) struct Watch<'case> {
    observer: &'case Role,
    roles: Vec<&'case Role>,
    before: Vec<Usage>,
    free: u64,
    rounds: usize,
}

impl<'case> Watch<'case> {
    /// Looks at the processes before a load in which each of them makes this many rounds. They should have made a small one
    /// already, because a driver takes resources at the first use of a feature, and an allocator at the first of a size.
    pub(super) fn begin(
        observer: &'case Role,
        roles: impl IntoIterator<Item = &'case Role>,
        rounds: usize,
    ) -> Result<Self, Stop> {
        let roles: Vec<_> = roles.into_iter().collect();
        let before = roles.iter().map(|role| observer.usage_of(role.id())).collect::<Result<_, _>>()?;
        let free = observer.mem_get_info()?.free;
        Ok(Self { observer, roles, before, free: trace::computed(free, "{0}", &[free]), rounds })
    }

    /// Looks while each process has so much memory open, which takes at most `device` bytes of device memory in all.
    pub(super) fn during(&self, open: usize, device: u64) -> Outcome {
        let mappings = IN_A_CALL.mappings + open * MAPPINGS_OF_MEMORY;
        self.look(Slack { mappings, mapped: IN_A_CALL.mapped + open as u64 * MAPPED_OF_MEMORY, ..IN_A_CALL }, DURING)?;
        check_free_again(DURING, self.free, self.free_now()?, device + self.kept())
    }

    /// Looks when the processes have given everything back.
    pub(super) fn end(self) -> Outcome {
        self.look(self.at_the_end(), AFTER)?;
        let free = free_in_the_end(self.observer, |free| free + self.kept() >= self.free)?;
        check_free_again(AFTER, self.free, free, self.kept())?;
        need_a_list_of_children()
    }

    /// Returns how many leaks, each in another round, are noise.
    const fn leaks(&self) -> usize {
        let leaks = self.rounds / ROUNDS_OF_A_LEAK;
        if leaks < MOST_NOISE { leaks } else { MOST_NOISE }
    }

    fn at_the_end(&self) -> Slack {
        if is_under_a_sanitizer() {
            return OF_A_SANITIZER;
        }
        let mapped = OF_AN_ALLOCATOR + self.leaks() as u64 * PAGE;
        Slack { mappings: self.leaks(), mapped, ..NOTHING }
    }

    fn kept(&self) -> u64 {
        if models().is_reference { 0 } else { KEPT_ON_A_GPU.min(self.leaks().max(1) as u64 * PAGE_OF_A_GPU) }
    }

    fn free_now(&self) -> Result<u64, Stop> {
        Ok(self.observer.mem_get_info()?.free)
    }

    fn look(&self, slack: Slack, when: &str) -> Outcome {
        for (role, before) in self.roles.iter().zip(&self.before) {
            let now = self.observer.usage_of(role.id())?;
            check(&format!("{when}, {}", role.name()), before, &now, slack)?;
        }
        Ok(())
    }
}

/// Whether this process runs under a sanitizer: `.ci/sanitizers` sets their options.
fn is_under_a_sanitizer() -> bool {
    ["ASAN_OPTIONS", "TSAN_OPTIONS"].iter().any(|name| std::env::var_os(name).is_some())
}

/// Ends the case as unsupported if the kernel does not list the children of a process. Every process then seems to have
/// none, so the load did not show that none is left.
fn need_a_list_of_children() -> Outcome {
    const LIST: &str = "/proc/thread-self/children";
    match std::fs::read(LIST) {
        Ok(_) => Ok(()),
        Err(error) => Err(Stop::Unsupported(format!(
            "nothing else is left, but {LIST} cannot be read, so child processes were not counted: {error} (a kernel has it \
             with CONFIG_PROC_CHILDREN)"
        ))),
    }
}

/// Checks that a process has no more than it had before, beyond the slack.
fn check(whose: &str, before: &Usage, now: &Usage, slack: Slack) -> Outcome {
    let known: BTreeSet<_> = before.shared_files.iter().collect();
    let new: Vec<_> = now.shared_files.iter().filter(|file| !known.contains(file)).collect();
    let count = |resource, before: usize, now: usize, slack: usize| {
        check_growth(whose, resource, before as u64, now as u64, slack as u64)
    };
    count(DESCRIPTORS, before.descriptors, now.descriptors, slack.descriptors)?;
    count(CHILDREN, before.children, now.children, slack.children)?;
    // Only new files count: one may have gone while another came.
    let with_file = new.first().map_or(whose.to_owned(), |file| format!("{whose}, which has {file},"));
    check_growth(&with_file, NEW_SHARED_FILES, 0, new.len() as u64, slack.shared_files as u64)?;
    count(MAPPINGS, before.mappings, now.mappings, slack.mappings)?;
    check_growth(whose, MAPPED, before.mapped, now.mapped, slack.mapped)
}
