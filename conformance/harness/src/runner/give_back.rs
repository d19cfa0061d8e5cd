//! The end of a case: every role releases its resources, and the runner checks for leaks.

use std::time::{Duration, Instant};

use super::trial::Shared;
use crate::case::Running;
use crate::identity::Kind;
use crate::{Cleanness, Failure, Outcome, Problem, Role, Stop, Verdict};

/// Memory that a real driver may keep after the first use of a feature. The first managed memory on an H200 costs 126
/// MiB.
const KEPT_BY_REAL_DRIVERS: u64 = 256 << 20;

/// How long the memory of a killed process may stay in use on a real driver. In one run on an H200, as much memory as
/// one context takes was missing after a case that kills its importer. That it comes back later is an assumption: the
/// leak was not seen again, with or without this wait.
const PATIENCE_WITH_REAL_DRIVERS: Duration = Duration::from_secs(2);

/// What went wrong while the roles of a case released everything.
pub(super) struct Bad {
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    pub(super) failure: Option<Failure>,
}

impl Bad {
    /// Says why a role stopped. `when` stands before the reason.
    fn of(stop: &Stop, when: &str) -> Self {
        Self {
            verdict: stop.verdict(),
            reason: format!("{when}{stop}"),
            // The failed call releases what the role held, so it is not among the steps of the case.
            failure: Failure::when(stop, &[]),
        }
    }

    fn leak(reason: String) -> Self {
        Self { verdict: Verdict::Leak, reason, failure: Failure::of_verdict(Verdict::Leak) }
    }
}

/// Makes roles release their resources: all of them first their imports, and then the rest. Returns the proof of each role,
/// or `None` if it has ended.
fn release(living: &[Role], worse: &mut impl FnMut(Bad)) -> Vec<Option<Cleanness>> {
    const WHILE: &str = "while resources were released: ";
    // Roles that hang while they release their resources share a time too.
    let hurry = |stop: &Stop| {
        if matches!(stop, Stop::TimedOut { .. }) {
            living.iter().for_each(Role::hurry);
        }
    };
    let mut early = Vec::new();
    for role in living {
        if role.is_gone() {
            early.push(Vec::new());
            continue;
        }
        match role.give_back_imports() {
            Ok(problems) => early.push(problems),
            Err(stop) => {
                hurry(&stop);
                early.push(vec![Problem::new(stop.to_string(), None)]);
                worse(Bad::of(&stop, WHILE));
            }
        }
    }
    let mut proofs = Vec::new();
    for (role, early) in living.iter().zip(early) {
        if role.is_gone() {
            proofs.push(None);
            continue;
        }
        match role.give_back_and_prove() {
            Ok(proof) => {
                let mut proof: Cleanness = proof;
                proof.problems.splice(0..0, early);
                proofs.push(Some(proof));
            }
            Err(stop) => {
                hurry(&stop);
                worse(Bad::of(&stop, WHILE));
                proofs.push(None);
            }
        }
    }
    proofs
}

impl Shared {
    /// Makes every role release its resources: first its imports, then the rest. A clean role can serve again. Returns
    /// the worst problem, if there is one.
    pub(super) fn give_back(&self, running: Running, outcome: &Outcome) -> Option<Bad> {
        let mut roles = running.roles.take();
        // Process 1 of a PID namespace cannot end before the runner has reaped the others in it.
        roles.sort_by_key(|role| role.inner_id() == 1);
        let mut worst: Option<Bad> = None;
        let mut worse = |bad: Bad| {
            if worst.as_ref().is_none_or(|known| bad.verdict > known.verdict) {
                worst = Some(bad);
            }
        };
        let (gone, living): (Vec<_>, Vec<_>) = roles.into_iter().partition(Role::is_gone);
        // Roles that hang do so at the same time, so all of them together have the time of one.
        let began = Instant::now();
        for role in &living {
            role.settle(began).err().iter().for_each(|stop| worse(Bad::of(stop, "")));
        }
        let proofs = release(&living, &mut worse);
        for role in gone {
            self.retire(role, false).into_iter().for_each(&mut worse);
        }
        // A role that was spoiled on purpose, or that never had a context of the harness, holds what the account does not
        // know. It ends before the account is settled, and its descriptors prove nothing.
        let is_spoiled = |proof: &Option<Cleanness>| proof.as_ref().is_some_and(|proof| !proof.spoiled.is_empty());
        let (spoiled, judged): (Vec<_>, Vec<_>) =
            living.into_iter().zip(proofs).partition(|(_, proof)| is_spoiled(proof));
        // All of them at once: a driver takes 50 ms to end a process.
        spoiled.iter().for_each(|(role, _)| role.begin_to_exit());
        for (role, proof) in spoiled {
            self.blame(&role, proof.as_ref(), outcome).into_iter().for_each(&mut worse);
            self.retire(role, false).into_iter().for_each(&mut worse);
        }
        // A case that failed is not judged for leaks.
        let patience = if outcome.is_ok() { self.patience_with_the_driver() } else { Duration::ZERO };
        for (device, missing) in self.warm.settle(self.kept_by_the_driver(), patience) {
            if missing > self.kept_by_the_driver() && outcome.is_ok() {
                worse(Bad::leak(format!(
                    "{missing} bytes of memory on GPU {device} are still in use after all processes of the case released \
                     everything"
                )));
            }
        }
        // The roles that end now do so a few at a time, because a driver may end one process after another, and all of
        // these have the time of one. Process 1 of a PID namespace would take the others with it.
        const AT_ONCE: usize = 4;
        let is_clean = |proof: &Option<Cleanness>| proof.as_ref().is_some_and(Cleanness::is_clean);
        let ends =
            |role: &Role, proof: &Option<Cleanness>| !is_clean(proof) || !self.warm.serves_again(&role.placement());
        let mut judged = judged.into_iter().peekable();
        while judged.peek().is_some() {
            let some: Vec<_> = judged.by_ref().take(AT_ONCE).collect();
            let ending = some.iter().filter(|(role, proof)| role.inner_id() != 1 && ends(role, proof));
            ending.for_each(|(role, _)| role.begin_to_exit());
            for (role, proof) in some {
                let name = role.name();
                let is_clean = is_clean(&proof);
                self.blame(&role, proof.as_ref(), outcome).into_iter().for_each(&mut worse);
                // If the case failed or a resource could not be released, a descriptor that is left says nothing about
                // the driver.
                if let Some(proof) = proof.filter(|proof| outcome.is_ok() && proof.problems.is_empty())
                    && let Some(left) = proof.descriptors_left.iter().find(|target| self.is_not_the_drivers_own(target))
                {
                    worse(Bad::leak(format!(
                        "{name}: a file descriptor of {left} is still open after the process released everything"
                    )));
                }
                self.retire(role, is_clean).into_iter().for_each(&mut worse);
            }
        }
        self.warm.begin_anew();
        self.warm.end_case();
        worst
    }

    /// The driver must take back what it gave, and a refused call must leave the context as it was.
    fn blame(&self, role: &Role, proof: Option<&Cleanness>, outcome: &Outcome) -> Option<Bad> {
        let problem = proof?.problems.first().filter(|_| outcome.is_ok() && role.must_be_sound())?;
        Some(Bad::of(&problem.clone().stop(&role.name(), "after the case"), ""))
    }

    /// Puts a clean role back among the warm roles, and ends any other, which must end in order. A role that may crash
    /// when it exits ends here, where its case allows that.
    fn retire(&self, role: Role, is_clean: bool) -> Option<Bad> {
        let retired = match role.into_process() {
            Some(process) if is_clean && !process.may_crash => self.warm.put_back(process),
            Some(process) => self.warm.end(process),
            None => Ok(()),
        };
        retired.err().map(|stop| Bad::of(&stop, "after the case, "))
    }

    /// Whether an open descriptor is a leak. A real driver opens its device files at first use and keeps them open.
    fn is_not_the_drivers_own(&self, target: &str) -> bool {
        self.under_test.identity.kind == Kind::Reference || !target.starts_with("/dev/nvidia")
    }

    /// Returns how much memory the driver may keep. The reference driver keeps none.
    fn kept_by_the_driver(&self) -> u64 {
        if self.under_test.identity.kind == Kind::Reference { 0 } else { KEPT_BY_REAL_DRIVERS }
    }

    /// Returns how long the memory of an ended process may stay in use. The reference driver frees it at once.
    fn patience_with_the_driver(&self) -> Duration {
        if self.under_test.identity.kind == Kind::Reference { Duration::ZERO } else { PATIENCE_WITH_REAL_DRIVERS }
    }
}
