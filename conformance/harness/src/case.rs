//! Cases: how they register, what they are called, and what the running one holds.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use serde_json::Value;

use crate::process::Steps;
use crate::step::Step;
use crate::warm::WarmRoles;
use crate::{Needs, Outcome, Placement, Role, Stop};

/// What `#[conformance::test]` registers.
#[derive(Debug)]
pub struct Registered {
    /// `module_path!()` of the function.
    pub module: &'static str,
    /// The function's name.
    pub function: &'static str,
    /// The documentation's first paragraph: the rule.
    pub summary: &'static str,
    /// The rows of the catalogue that the case checks; none for a check of the harness.
    pub rows: &'static [&'static str],
    /// What it needs.
    pub needs: Needs,
    /// The script.
    pub run: fn() -> Outcome,
}

inventory::collect!(Registered);

/// A case with its name.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// `group::file::rule`, which the catalogue names.
    pub(crate) base: String,
    /// The base and the parameters: `group::file::rule/kind=Pinned`.
    pub(crate) id: String,
    pub(crate) summary: String,
    pub(crate) registered: &'static Registered,
}

/// Every registered case, by name.
pub(crate) fn all() -> Vec<Case> {
    let mut summaries = BTreeMap::new();
    let mut cases = Vec::new();
    for registered in inventory::iter::<Registered> {
        let (base, parameters) = name(registered.module, registered.function);
        let id = if parameters.is_empty() { base.clone() } else { format!("{base}/{}", parameters.join(",")) };
        if !registered.summary.is_empty() {
            summaries.insert(base.clone(), registered.summary.to_owned());
        }
        cases.push(Case { base, id, summary: String::new(), registered });
    }
    for case in &mut cases {
        case.summary = summaries.get(&case.base).cloned().unwrap_or_default();
    }
    cases.sort_by(|one, other| one.id.cmp(&other.id));
    cases
}

/// Take apart what rstest made of a name: `rule::kind_2_Kind__Pinned::n_1_5` is `rule` with `kind=Pinned`, `n=5`.
fn name(module: &str, function: &str) -> (String, Vec<String>) {
    let mut base = Vec::new();
    let mut parameters = Vec::new();
    for part in module.split("::").skip(1).chain([function]) {
        match parameter(part) {
            Some(parameter) => parameters.push(parameter),
            None => base.push(part),
        }
    }
    (base.join("::"), parameters)
}

/// `kind_2_Kind__Pinned` is `kind=Pinned`; `case_1_zeroed` is `zeroed`.
fn parameter(part: &str) -> Option<String> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let words: Vec<&str> = part.split('_').collect();
    let number = words.iter().position(|word| is_number(word)).filter(|position| *position > 0)?;
    let name = words[..number].join("_");
    let value = words[number + 1..].join("_");
    let value = value.rsplit("__").next().unwrap_or_default().trim_matches('_');
    match (name.as_str(), value) {
        ("case", "") => Some(words[number].to_owned()),
        ("case", value) => Some(value.to_owned()),
        (_, "") => None,
        (name, value) => Some(format!("{name}={value}")),
    }
}

/// The case that runs in this thread.
pub(crate) struct Running {
    pub(crate) warm: Arc<WarmRoles>,
    pub(crate) roles: RefCell<Vec<Role>>,
    pub(crate) observations: RefCell<BTreeMap<String, Value>>,
    steps: Steps,
    pub(crate) seed: u64,
    drawn: Cell<u64>,
}

thread_local! {
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// Make a case the running one.
pub(crate) fn enter(warm: Arc<WarmRoles>, run_seed: u64, id: &str) {
    let mut hasher = DefaultHasher::new();
    (run_seed, id).hash(&mut hasher);
    let running = Running {
        warm,
        roles: RefCell::default(),
        observations: RefCell::default(),
        steps: Steps::default(),
        seed: hasher.finish(),
        drawn: Cell::new(0),
    };
    RUNNING.with_borrow_mut(|slot| *slot = Some(running));
}

/// The running case is over.
pub(crate) fn leave() -> Option<Running> {
    RUNNING.with_borrow_mut(Option::take)
}

/// Use the running case. Roles, observations and seeds exist only in one.
pub(crate) fn current<T>(use_it: impl FnOnce(&Running) -> T) -> T {
    RUNNING.with_borrow(|running| use_it(running.as_ref().expect("this is called from a case's own thread")))
}

impl Running {
    /// The steps so far. Giving back a role's resources adds steps that nobody reads.
    pub(crate) fn take_steps(&self) -> Vec<Step> {
        self.steps.take()
    }
}

impl Role {
    /// A process of the running case: a warm one if one fits, else a new one.
    ///
    /// # Errors
    /// [`Stop`], if no process can be started or it has no device.
    pub fn new(name: &str, placement: Placement) -> Result<Self, Stop> {
        current(|case| {
            let role = Self::on(case.warm.take(name, placement)?, case.steps.clone());
            case.roles.borrow_mut().push(role.clone());
            Ok(role)
        })
    }
}

/// Record what the driver did where the documentation leaves it open.
pub fn observe(name: &str, value: impl Into<Value>) {
    current(|case| case.observations.borrow_mut().insert(name.to_owned(), value.into()));
}

/// The next number that follows from the run's seed and the case's name.
#[must_use]
pub fn seed() -> u32 {
    random().u32(1..)
}

/// Random numbers that follow from the run's seed and the case's name.
#[must_use]
pub fn random() -> fastrand::Rng {
    current(|case| {
        case.drawn.set(case.drawn.get() + 1);
        fastrand::Rng::with_seed(case.seed.wrapping_add(case.drawn.get()))
    })
}
