//! A finding of a model becomes a bug report: a case that works like a model, and its report.

use std::fs;

use conformance::{
    Again, KIB, Note, Outcome, Placement, Role, Stop, annotate, check, forget_ended_roles, forget_steps, models,
    observe,
};
use rstest::rstest;

use crate::command::{conformance, finish};
use crate::program::{compiled, executed, reference};
use crate::suite::{harness, run, suite};

/// The bug that script 3 finds.
const FAULT: (&str, &str) = ("REFERENCE_DRIVER_FAULT", "close-ignores-the-count");
const MODEL: &str = "model::every_open_can_be_closed";
const SHORTEST: usize = 2;

/// Opens a handle so many times, and closes it as often.
fn perform(opens: usize, [exporter, importer]: &[Role; 2]) -> Outcome {
    forget_steps();
    observe(&format!("{opens} opens"), true);
    let memory = exporter.mem_alloc(4 * KIB)?;
    let handle = exporter.ipc_get_mem_handle(memory)?;
    let imports: Vec<_> = (0..opens).map(|_| importer.ipc_open_mem_handle(handle)).collect::<Result<_, Stop>>()?;
    imports.into_iter().try_for_each(|import| importer.ipc_close_mem_handle(import))?;
    exporter.mem_free(memory)
}

fn processes() -> Result<[Role; 2], Stop> {
    Ok([Role::new("exporter", Placement::device(0))?, Role::new("importer", Placement::device(0))?])
}

/// Works like a model: it performs scripts, and shortens one that fails. Without a flag, it makes three scripts.
#[rstest]
#[conformance::test()]
fn every_open_can_be_closed() -> Outcome {
    let asked = models();
    let numbers = asked.script.map_or(0..asked.scripts.unwrap_or(3), |number| number..number + 1);
    let roles = processes()?;
    for number in numbers {
        let opens = if number == 3 { 5 } else { 1 };
        if perform(opens, &roles).is_ok() {
            continue;
        }
        roles.iter().try_for_each(Role::kill)?;
        forget_ended_roles();
        let shortest = perform(SHORTEST, &processes()?);
        let text = format!("script {number}, as a case:\nuse a::prelude;\n\nfn found() {{\n    Ok(())\n}}");
        annotate(Note { text, again: Some(Again::Script(number)), row: None });
        return shortest;
    }
    Ok(())
}

/// Works like a test of the models: it makes no script.
#[rstest]
#[conformance::test()]
fn two_opens_can_be_closed() -> Outcome {
    perform(SHORTEST, &processes()?)
}

/// A failure says that a model checks many rules only if a model made the script that fails.
#[rstest]
#[conformance::test()]
fn a_failure_without_a_script_names_no_model() -> Outcome {
    let mut command = suite("reference")?;
    command.env(FAULT.0, FAULT.1).args(["--exact", "model::two_opens_can_be_closed"]);
    let text = run(command)?.text();
    check!(text.contains("  rows: none, the case checks no single rule\n"), "{text}");
    Ok(())
}

/// The report of a finding has the script that found it: the command and the page name it, and the program is that of the
/// shortest script, which fails with the bug and not without it.
#[rstest]
#[conformance::test()]
fn a_finding_of_a_model_is_reported() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let mut command = suite("reference")?;
    command.env(FAULT.0, FAULT.1).args(["--seed", "1", "--scripts", "5", "--exact", MODEL]);
    let run = run(command)?;
    check!(run.text().contains("  rows: none, a model checks many rules"), "{}", run.text());
    let report = run.report()?;
    let found = report.case(MODEL).ok_or_else(|| harness("the report lacks the model"))?;
    check!(found.flags == ["--script", "3"], "{report:?}");
    // What the scripts before it observed is not in the report.
    check!(found.observations.keys().eq([&format!("{SHORTEST} opens")]), "{:?}", found.observations);

    let mut command = conformance(&["report"])?;
    command.env(FAULT.0, FAULT.1).arg(run.path()).arg("--output").arg(folder.path()).args(["--runs", "2"]);
    let (code, text, errors) = finish(command)?;
    check!(code == Some(0) && text.contains("every_open_can_be_closed.c"), "{code:?}: {text}{errors}");
    let page = fs::read_to_string(folder.path().join("model-every_open_can_be_closed.md")).map_err(harness)?;
    for part in [
        "in 2 of 2 later runs",
        "- **Actual** importer: cuIpcCloseMemHandle returned CUDA\\_ERROR\\_INVALID\\_VALUE (1), expected CUDA\\_SUCCESS\n",
        "\nscript 3, as a case:\n\n```rust\nuse a::prelude;\n\nfn found() {\n    Ok(())\n}\n```\n",
        "--driver reference --seed 1 --script 3 --exact model::",
    ] {
        check!(page.contains(part), "{part} is not in {page}");
    }
    let source = folder.path().join("model-every_open_can_be_closed.c");
    let text = fs::read_to_string(&source).map_err(harness)?;
    // The first attempt had more opens.
    check!(
        text.matches("(cuMemAlloc(").count() == 1 && text.matches("(cuIpcOpenMemHandle(").count() == SHORTEST,
        "{text}"
    );
    let program = compiled(&source)?;
    let (code, line) = executed(&program, &reference()?, Some(FAULT.1))?;
    check!(code == Some(1) && line.contains("cuIpcCloseMemHandle"), "{code:?}: {line}");
    let (code, line) = executed(&program, &reference()?, None)?;
    check!(code == Some(0), "{code:?}: {line}");
    Ok(())
}
