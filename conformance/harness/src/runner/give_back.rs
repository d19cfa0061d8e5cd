//! The end of a case: every role gives back what it holds, and proves it.

use super::trial::Shared;
use crate::case::Running;
use crate::identity::Kind;
use crate::{Cleanness, Outcome, Role, Verdict};

/// Memory that a real driver may keep for itself after something was used for the first time. The first managed memory
/// on an H200 costs 126 MiB.
const KEPT_BY_REAL_DRIVERS: u64 = 256 << 20;

impl Shared {
    /// Every role gives back what it holds: first what is others', then its own. A clean one serves again.
    pub(super) fn give_back(&self, running: Running, outcome: &Outcome) -> Option<(Verdict, String)> {
        let roles = running.roles.take();
        let mut worst: Option<(Verdict, String)> = None;
        let mut worse = |verdict: Verdict, reason: String| {
            if worst.as_ref().is_none_or(|(known, _)| verdict > *known) {
                worst = Some((verdict, reason));
            }
        };
        let (gone, living): (Vec<_>, Vec<_>) = roles.into_iter().partition(Role::is_gone);
        let mut refused = Vec::new();
        for role in &living {
            match role.give_back_imports() {
                Ok(problems) => refused.push(!problems.is_empty()),
                Err(stop) => {
                    refused.push(true);
                    worse(stop.verdict(), format!("while giving back: {stop}"));
                }
            }
        }
        let mut proofs = Vec::new();
        for (role, refused) in living.iter().zip(refused) {
            if role.is_gone() {
                proofs.push(None);
                continue;
            }
            match role.give_back_and_prove() {
                Ok(proof) => {
                    let proof: Cleanness = proof;
                    proofs.push((!refused).then_some(proof));
                }
                Err(stop) => {
                    worse(stop.verdict(), format!("while giving back: {stop}"));
                    proofs.push(None);
                }
            }
        }
        for role in gone {
            self.retire(role, false);
        }
        for (device, missing) in self.warm.settle() {
            if missing > self.kept_by_the_driver() && outcome.is_ok() {
                worse(Verdict::Leak, format!("{missing} bytes of GPU {device} did not come back"));
            }
        }
        for (role, proof) in living.into_iter().zip(proofs) {
            let name = role.name();
            let is_clean = proof.as_ref().is_some_and(Cleanness::is_clean);
            // What a case left undone on purpose is not the driver's leak.
            if let Some(proof) = proof.filter(|proof| outcome.is_ok() && proof.problems.is_empty())
                && let Some(left) = proof.descriptors_left.iter().find(|target| self.is_not_the_drivers_own(target))
            {
                worse(Verdict::Leak, format!("{name}: a descriptor of {left} was left open"));
            }
            self.retire(role, is_clean);
        }
        // What the ended roles held is free again, and some had given up more than their price: the present counts.
        self.warm.settle();
        worst
    }

    /// The pool takes a clean role back; any other is ended.
    fn retire(&self, role: Role, is_clean: bool) {
        match role.into_process() {
            Some(process) if is_clean => self.warm.put_back(process),
            Some(process) => self.warm.end(process),
            None => {}
        }
    }

    /// A real driver opens its devices when they are first used, and keeps them open.
    fn is_not_the_drivers_own(&self, target: &str) -> bool {
        self.under_test.identity.kind == Kind::Reference || !target.starts_with("/dev/nvidia")
    }

    /// A real driver keeps what a context used for the first time; the reference driver keeps nothing.
    fn kept_by_the_driver(&self) -> u64 {
        if self.under_test.identity.kind == Kind::Reference { 0 } else { KEPT_BY_REAL_DRIVERS }
    }
}
