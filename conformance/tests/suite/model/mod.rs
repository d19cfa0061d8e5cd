//! Models: random scripts of steps over several processes, compared step by step with a reference model.
//!
//! A case of a rule is one order of events. Drivers break in orders that nobody wrote down. A model makes scripts: it
//! knows what exists, chooses the next step among those that are possible, and knows the rows of the catalogue that say
//! how the driver must answer. A script that fails is shortened, and printed as a case.
//!
//! | module | contents |
//! |---|---|
//! | `world` | the reference model: processes, memory and its contents by seed, views, handles |
//! | `operation` | what a step is, and the values that a driver gave its names |
//! | `process`, `contents`, `legacy` … | the steps of each protocol: when they are possible, what they change, what the driver must answer |
//! | `script` | a whole script: what it performs, how it is shortened, and how it reads |
//! | `share` | what processes share, and the steps that lead there |
//! | `make` | how a script is made (a strategy of proptest) |
//! | `count` | counts what scripts do, without performing them |
//! | `prelude` | the names that a printed script uses |
//! | `print`, `printed` | some printed scripts, which must compile |
//! | `processes` | the processes that perform scripts, and what they give back |
//! | `run` | runs scripts on roles until one fails |
//! | `search` | looks for the shortest script that fails in the same way |
//! | `replay` | proves what the suite prints of a finding |
//!
//! A model claims no row, so `cargo conformance score` measures the cases without it. `cargo conformance score --models`
//! measures the models without the cases.

mod contents;
mod count;
mod death;
mod events;
mod legacy;
mod make;
mod misuse;
mod operation;
mod pools;
pub(crate) mod prelude;
mod print;
#[allow(dead_code, unused_variables, clippy::all, clippy::pedantic, reason = "the models write it, and it must only compile")]
#[rustfmt::skip]
mod printed {
    mod events;
    mod legacy;
    mod pools;
    mod virtual_memory;
}
mod process;
mod processes;
mod replay;
mod run;
mod script;
mod search;
mod share;
mod step;
mod virtual_memory;
mod world;

use conformance::{Needs, Outcome, need};
use rstest::rstest;

use process::Event;
use replay::Bug;
use step::Protocol;

/// Legacy memory handles keep their rules in random scripts of several processes.
#[rstest]
#[conformance::test(needs(legacy_memory))]
fn legacy_memory() -> Outcome {
    run::run(&[Protocol::Legacy])
}

/// Interprocess events keep their rules in random scripts of several processes.
#[rstest]
#[conformance::test(needs(interprocess_events))]
fn interprocess_events() -> Outcome {
    run::run(&[Protocol::Events])
}

/// Virtual memory that is shared by descriptors keeps its rules in random scripts of several processes.
#[rstest]
#[conformance::test(needs(memory_descriptors))]
fn virtual_memory_descriptors() -> Outcome {
    run::run(&[Protocol::VirtualMemory])
}

/// Memory pools that are shared by descriptors keep their rules in random scripts of several processes.
#[rstest]
#[conformance::test(needs(pool_descriptors))]
fn pools() -> Outcome {
    run::run(&[Protocol::Pools])
}

/// Legacy memory, events, virtual memory and pools keep their rules in random scripts that use all of them.
#[rstest]
#[conformance::test(needs(legacy_memory, interprocess_events, memory_descriptors, pool_descriptors))]
fn all_together() -> Outcome {
    run::run(&Protocol::ALL)
}

/// Legacy memory of a living process can be given back by a process that also holds memory of an ended one.
#[rstest]
#[conformance::test(needs(legacy_memory))]
fn imports_of_the_living_are_given_back_beside_those_of_the_ended() -> Outcome {
    replay::give_back_beside_an_orphan()
}

/// The scripts of a model kill processes after something was shared.
#[rstest]
#[conformance::test]
fn scripts_kill_after_a_share(
    #[values(Protocol::Legacy, Protocol::Events, Protocol::VirtualMemory, Protocol::Pools)] protocol: Protocol,
) -> Outcome {
    count::scripts_kill_after_a_share(protocol.alone(), 7)
}

/// Of the scripts of all protocols, half share something by each protocol at the same time.
#[rstest]
#[conformance::test]
fn scripts_share_by_all_protocols() -> Outcome {
    count::scripts_share_by_all(50)
}

/// In the scripts of a model, processes read what other processes wrote.
#[rstest]
#[conformance::test]
fn scripts_read_what_others_wrote(
    #[values(Protocol::Legacy, Protocol::VirtualMemory, Protocol::Pools)] protocol: Protocol,
) -> Outcome {
    let fewest = if protocol == Protocol::Legacy { 30 } else { 90 };
    count::scripts_read_what_others_wrote(protocol.alone(), fewest)
}

/// In scripts of all protocols, calls for legacy memory get memory of pools and virtual memory.
#[rstest]
#[conformance::test]
fn scripts_misuse_memory_of_other_protocols() -> Outcome {
    count::scripts_misuse_other_memory(20)
}

/// The scripts of a model make calls with imports that the driver must refuse.
#[rstest]
#[case::larger_mappings(Protocol::VirtualMemory, "VMM-IMP-012")]
#[conformance::test]
fn scripts_misuse_imports(#[case] protocol: Protocol, #[case] row: &str) -> Outcome {
    count::scripts_have_steps_of(protocol.alone(), row, 5)
}

/// What a model prints compiles: files that are a part of this suite contain what the models print.
#[rstest]
#[conformance::test]
fn printed_scripts_compile() -> Outcome {
    print::scripts_are_those_of_the_files()
}

/// What a model finds is short, and the command that it prints finds it again. A finding that only differs does not end
/// the search.
#[rstest]
#[conformance::test]
fn a_finding_is_found_again(#[values(Bug::Result, Bug::Memory, Bug::Difference)] bug: Bug) -> Outcome {
    replay::a_finding_is_found_again(bug)
}

/// A shorter script breaks the same row, for the same reason.
#[rstest]
#[conformance::test]
fn a_shorter_script_fails_in_the_same_way() -> Outcome {
    replay::a_shorter_script_fails_in_the_same_way()
}

/// If a driver refuses to take back an import of a living process, a model notices, also beside imports of ended ones.
#[rstest]
#[conformance::test]
fn a_refused_release_is_noticed_beside_an_orphan() -> Outcome {
    replay::a_refused_release_is_noticed_beside_an_orphan()
}

/// If a process ends, stops or starts again after any step of a protocol, the other process and a new one can use it from
/// the beginning.
#[rstest]
#[conformance::test]
fn others_work_after_an_event_at_any_step(
    #[values(Protocol::Legacy, Protocol::Events, Protocol::VirtualMemory, Protocol::Pools)] protocol: Protocol,
    #[values(Event::Kill, Event::Exit, Event::Exec, Event::Stop)] event: Event,
) -> Outcome {
    // A daemon of MPS ends the processes of its other clients with one that was killed.
    let needs = Needs::none().no_mps();
    need(&match protocol {
        Protocol::Legacy => needs.legacy_memory(),
        Protocol::Events => needs.interprocess_events(),
        Protocol::VirtualMemory => needs.memory_descriptors(),
        Protocol::Pools => needs.pool_descriptors(),
    })?;
    death::at_every_step(protocol, event)
}
