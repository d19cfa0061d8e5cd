//! Death at every step: each process of a protocol ends, stops or starts again after each step of it. The other one, and
//! a new one, work afterwards.

use conformance::{Again, Note, Outcome, Stop, annotate, models, random};

use super::contents::{self, Access, Mover};
use super::process::{self, Event};
use super::processes::Processes;
use super::script::Script;
use super::step::{Protocol, Step};
use super::world::{Machine, Name};
use super::{events, legacy, pools, virtual_memory};

/// The process that shares memory, and the one with which it does.
const EXPORTER: usize = 0;
const IMPORTER: usize = 1;

/// A third process, which is there while one of the two is stopped.
const THIRD: usize = 2;

/// On a GPU, where a new process takes long, and with `--scripts`, an event happens after one step in so many, which the
/// seed chooses.
const STEPS_OF_A_SAMPLE: usize = 8;

/// Lets an event happen to each process after each step of a protocol, or after a sample of the steps. `--soak` asks for
/// each step on a GPU too. A script that only differs from what other drivers do does not end it.
///
/// # Errors
/// [`conformance::Stop`] of the first script that fails, or else of the first one that differs.
pub(crate) fn at_every_step(protocol: Protocol, event: Event) -> Outcome {
    let (machine, mut processes) = (Machine::under_test(), Processes::default());
    // On two devices, if they are peers.
    let devices = vec![0, machine.devices - 1, 0];
    let life = |exporter, importer, first| life(protocol, [exporter, importer], &devices, first);
    let is_complete = models().soak.is_some() || models().is_reference && models().scripts.is_none();
    let one_in = if is_complete { 1 } else { STEPS_OF_A_SAMPLE };
    let chosen = random().usize(..one_in);
    let mut difference = None;
    for by in [EXPORTER, IMPORTER] {
        for place in (0..=life(EXPORTER, IMPORTER, 1).len()).filter(|place| (place + by) % one_in == chosen) {
            let steps = life(EXPORTER, IMPORTER, 1);
            let script = Script { machine: machine.clone(), devices: devices.clone(), steps };
            // A process whose work waits for a latch cannot exit or replace its program: both would wait for the work.
            if matches!(event, Event::Exit | Event::Exec) && script.before(place).is_busy(by) {
                continue;
            }
            let mut steps = script.steps;
            // The rest goes on as far as it can without what is gone.
            steps.insert(place, Step::Process(process::Step { by, event }));
            let rest = steps.len();
            if matches!(event, Event::Stop) {
                let survivor = EXPORTER + IMPORTER - by;
                steps.extend(life(survivor, THIRD, 101));
                steps.push(Step::Process(process::Step { by, event: Event::Resume }));
            }
            // A process whose work waited for one that was killed ends too.
            let script = Script { machine: machine.clone(), devices: devices.clone(), steps };
            let lost = script.lost().into_iter().map(|by| process::Step { by, event: Event::Kill });
            let mut steps = script.steps;
            steps.extend(lost.map(Step::Process));
            steps.extend(life(EXPORTER, IMPORTER, 201));
            steps.extend(life(IMPORTER, EXPORTER, 301));
            let script = Script { machine: machine.clone(), devices: devices.clone(), steps };
            if let Some(step) = script.impossible(&[place..place + 1, rest..usize::MAX]) {
                let text = format!("p{by}: {event:?} after step {place}: the model makes {step:?} impossible");
                return Err(Stop::Harness(text));
            }
            if let Err(failed) = processes.perform(&script) {
                let text = format!("p{by}: {event:?} after step {place}:\n{}", failed.text(&script));
                // Otherwise another sample of the steps would be taken.
                let again = models().soak.map(Again::Soak).or(models().scripts.map(Again::Scripts));
                let only_differs = failed.only_differs();
                let found = (Note { text, again, row: failed.row }, failed.stop);
                if !only_differs {
                    return told(found);
                }
                difference.get_or_insert(found);
            }
            processes.end(THIRD)?;
        }
    }
    difference.map_or(Ok(()), told)
}

/// Says what was found.
fn told((note, stop): (Note, Stop)) -> Outcome {
    annotate(note);
    Err(stop)
}

/// One use of a protocol from its beginning to its end. Its names begin with `first`.
fn life(protocol: Protocol, [exporter, importer]: [usize; 2], devices: &[i32], first: Name) -> Vec<Step> {
    let touch = |by, view, access| Step::Contents(contents::Step { by, view, access, mover: Mover::Kernel });
    match protocol {
        Protocol::Legacy => {
            let (memory, handle, import, seeds) = (first, first + 1, first + 2, [first + 3, first + 4]);
            vec![
                Step::Legacy(legacy::Step::alloc(exporter, memory)),
                touch(exporter, memory, Access::Fill(seeds[0])),
                Step::Legacy(legacy::Step::get(exporter, handle, memory)),
                Step::Legacy(legacy::Step::open(importer, import, handle)),
                touch(importer, import, Access::Check),
                touch(importer, import, Access::Fill(seeds[1])),
                touch(exporter, memory, Access::Check),
                Step::Legacy(legacy::Step::close(importer, import)),
                Step::Legacy(legacy::Step::free(exporter, memory)),
            ]
        }
        Protocol::VirtualMemory => {
            let [memory, sent, imported, there, here] = [0, 1, 2, 3, 4].map(|more| first + more);
            let step = Step::VirtualMemory;
            vec![
                step(virtual_memory::Step::create(exporter, memory)),
                step(virtual_memory::Step::map(exporter, there, memory)),
                step(virtual_memory::Step::set_access(exporter, there)),
                touch(exporter, there, Access::Fill(first + 5)),
                step(virtual_memory::Step::export(exporter, sent, memory)),
                step(virtual_memory::Step::release(exporter, memory)),
                step(virtual_memory::Step::import(importer, imported, sent)),
                step(virtual_memory::Step::map(importer, here, imported)),
                step(virtual_memory::Step::set_access(importer, here)),
                step(virtual_memory::Step::release(importer, imported)),
                touch(importer, here, Access::Check),
                touch(importer, here, Access::Fill(first + 6)),
                touch(exporter, there, Access::Check),
                step(virtual_memory::Step::unmap(importer, here)),
                step(virtual_memory::Step::unmap(exporter, there)),
            ]
        }
        Protocol::Pools => {
            let [pool, sent, imported, there, data, here] = [0, 1, 2, 3, 4, 5].map(|more| first + more);
            let step = Step::Pool;
            let is_peer = devices[exporter] != devices[importer];
            let grant = is_peer.then(|| step(pools::Step::grant(importer, imported, devices[importer])));
            let begins = vec![
                step(pools::Step::create(exporter, pool)),
                step(pools::Step::export(exporter, sent, pool)),
                step(pools::Step::import(importer, imported, sent)),
            ];
            let goes_on = vec![
                step(pools::Step::allocate(exporter, there, pool)),
                touch(exporter, there, Access::Fill(first + 6)),
                step(pools::Step::export_pointer(exporter, data, there)),
                step(pools::Step::import_pointer(importer, here, imported, data)),
                touch(importer, here, Access::Check),
                touch(importer, here, Access::Fill(first + 7)),
                touch(exporter, there, Access::Check),
                step(pools::Step::trim(exporter, pool)),
                touch(importer, here, Access::Check),
                step(pools::Step::free(importer, here)),
                step(pools::Step::free(exporter, there)),
                step(pools::Step::destroy(importer, imported)),
                step(pools::Step::destroy(exporter, pool)),
            ];
            begins.into_iter().chain(grant).chain(goes_on).collect()
        }
        Protocol::Events => {
            let [event, handle, import, produce, consume, latch] = [0, 1, 2, 3, 4, 5].map(|more| first + more);
            [
                events::Step::create(exporter, event),
                events::Step::get(exporter, handle, event),
                events::Step::open(importer, import, handle),
                events::Step::create_stream(exporter, produce),
                events::Step::create_stream(importer, consume),
                events::Step::hold(exporter, latch, produce),
                events::Step::record(exporter, event, produce),
                events::Step::query(importer, import),
                events::Step::wait(importer, consume, import),
                events::Step::write(importer, first + 6, consume),
                events::Step::query_stream(importer, consume),
                events::Step::release(exporter, latch),
                events::Step::query(importer, import),
                events::Step::record(importer, import, consume),
                events::Step::query(exporter, event),
                events::Step::destroy(importer, import),
                events::Step::destroy(exporter, event),
                events::Step::destroy_stream(exporter, produce),
                events::Step::destroy_stream(importer, consume),
            ]
            .map(Step::Event)
            .to_vec()
        }
    }
}
