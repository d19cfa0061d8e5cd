//! What a report from a stranger may do.

use std::fs;
use std::process::{Command, Stdio};

use conformance::identity::Kind;
use conformance::report::{Report, Runs};
use conformance::{Outcome, Stop, Verdict, check};
use rstest::rstest;
use serde_json::{Value, json};

use crate::command::{Reports, conformance, finish, plain, text};
use crate::suite::{harness, run, suite};

/// A report can have the suite run only with flags that a run writes into reports: no other flag reaches the suite, so no
/// file is overwritten.
#[rstest]
#[case::a_report(&["--report", "precious"], "\"--report\"")]
#[case::in_one_word(&["--report=precious"], "\"--report=precious\"")]
#[case::behind_a_good_one(&["--script", "1", "--resume", "precious"], "\"--resume\"")]
#[case::in_place_of_a_value(&["--script", "--report"], "--script needs a number, not \"--report\"")]
#[case::without_a_value(&["--soak"], "--soak needs a positive number, not \"\"")]
#[case::a_filter(&["--load", "all"], "\"all\"")]
#[case::a_device(&["--deviations", "/dev/zero"], "--deviations needs a list of files")]
#[conformance::test()]
fn a_report_has_no_other_flags(#[case] flags: &[&str], #[case] says: &str) -> Outcome {
    let mut report = plain("580.10", 1);
    report.cases[0].verdict = Verdict::Fail;
    report.cases[0].flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let reports = Reports::new(&report, &report)?;
    fs::write(reports.path("precious"), "kept").map_err(harness)?;
    let output = reports.run(&["report", "old", "--output", "bugs"])?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2) && errors.contains("old, case ") && errors.contains(says), "{errors}");
    check!(fs::read_to_string(reports.path("precious")).map_err(harness)? == "kept");
    Ok(())
}

/// A name that the suite would take for a flag, or for several names, is not the name of a case.
#[rstest]
#[case::flag("--report=precious")]
#[case::lines("a\nb")]
#[conformance::test()]
fn a_flag_is_not_the_name_of_a_case(#[case] id: &str) -> Outcome {
    let mut report = plain("580.10", 1);
    (report.cases[0].verdict, report.cases[0].id) = (Verdict::Fail, id.to_owned());
    let output = Reports::new(&report, &report)?.run(&["report", "old", "--output", "bugs"])?;
    let errors = text(&output.stderr);
    check!(output.status.code() == Some(2) && errors.contains("not the name of a case"), "{errors}");
    Ok(())
}

/// The command says that it loads a library, before somebody uses it on the report of a stranger.
#[rstest]
#[conformance::test()]
fn the_help_names_the_library() -> Outcome {
    let report = plain("580.10", 1);
    let output = Reports::new(&report, &report)?.run(&["report", "--help"])?;
    check!(text(&output.stdout).contains("loads the library that the report names"));
    Ok(())
}

/// Numbers that no run writes are compared, converted and drawn: no command panics, and no command leaves out the report.
#[rstest]
#[case::summary("\"summary\":{", "\"summary\":{\"more\":18446744073709551615,")]
#[case::runs("\"rows\":[", "\"runs\":{\"failed\":70000,\"of\":70000},\"rows\":[")]
#[case::duration("\"duration_ms\":10.0", "\"duration_ms\":1.5e22")]
#[case::longest_duration("\"duration_ms\":10.0", "\"duration_ms\":1.7e308")]
#[case::negative_duration("\"duration_ms\":10.0", "\"duration_ms\":-1.0")]
#[case::steps("\"answer\":", "\"ms\":1.7e308,\"answer\":")]
#[case::memory("\"memory\":137438953472", "\"memory\":18446744073709551615")]
#[case::repeat("\"fresh\":", "\"repeat\":4294967295,\"fresh\":")]
#[case::load("\"fresh\":", "\"load\":{\"threads\":1e308,\"processors\":18446744073709551615},\"fresh\":")]
#[conformance::test()]
fn no_number_of_a_report_panics(#[case] from: &str, #[case] to: &str) -> Outcome {
    let mut report = plain("580.10", 2);
    for case in &mut report.cases {
        (case.verdict, case.reason) = (Verdict::Fail, Some("wrong".to_owned()));
        case.runs = Some(Runs { failed: 1, of: 70000 });
    }
    let reports = Reports::new(&report, &report)?;
    let lines = fs::read_to_string(reports.path("new")).map_err(harness)?;
    let lines = if to.contains("runs") { lines.replace(",\"runs\":{\"failed\":1,\"of\":70000}", "") } else { lines };
    let changed = lines.replace(from, to);
    check!(changed != lines, "{lines}");
    fs::create_dir(reports.path("fleet")).map_err(harness)?;
    for (name, text) in [("new", &changed), ("fleet/changed.jsonl", &changed), ("fleet/plain.jsonl", &lines)] {
        fs::write(reports.path(name), text).map_err(harness)?;
    }
    for arguments in [
        &["show", "new"][..],
        &["diff", "old", "new"],
        &["diff", "new", "old", "--format", "markdown"],
        &["html", "new"],
        &["html", "new", "--compare", "old"],
        &["junit", "new"],
        &["fleet", "fleet"],
    ] {
        let output = reports.run(arguments)?;
        let (printed, errors) = (text(&output.stdout), text(&output.stderr));
        check!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {printed}{errors}");
        check!(!errors.contains("panicked"), "{arguments:?}: {errors}");
        check!(arguments[0] != "fleet" || printed.contains("2 reports"), "{printed}");
    }
    Ok(())
}

const CASE: &str = "sample::memory_has_its_size/mebibytes=1,is_filled=true";

/// Runs a case, changes each line of its trace, and reports it from that trace. Returns what the command prints, and the
/// program, if it writes one.
fn reported(change: impl Fn(&mut Value)) -> Result<(String, Option<String>), Stop> {
    let folder = tempfile::tempdir().map_err(harness)?;
    let trace = folder.path().join("trace");
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_TRACE", &trace).args(["--seed", "1", "--fresh", "--exact", CASE]);
    let run = run(command)?;
    let mut lines = String::new();
    for line in fs::read_to_string(&trace).map_err(harness)?.lines() {
        let mut event = serde_json::from_str(line).map_err(harness)?;
        change(&mut event);
        // The beginning of a line says what it is.
        let kind = event["event"].as_str().unwrap_or_default().to_owned();
        event.as_object_mut().map(|fields| fields.remove("event"));
        lines += &format!("{{\"event\":\"{kind}\",{}\n", &event.to_string()[1..]);
    }
    fs::write(&trace, lines).map_err(harness)?;
    let mut command = conformance(&["report"])?;
    command.arg(run.path()).arg(CASE).arg("--trace").arg(&trace).arg("--output").arg(folder.path().join("bugs"));
    let (code, text, errors) = finish(command)?;
    check!(code == Some(0), "{code:?}: {text}{errors}");
    let file = text.trim().rsplit(' ').next().filter(|file| file.ends_with(".c"));
    let program = file.map(|file| fs::read_to_string(file).map_err(harness)).transpose()?;
    Ok((text, program))
}

/// A trace that no suite writes becomes no program: nothing that it contains is C.
#[rstest]
#[case::operator("check", "a check compares with", |event: &mut Value| {
    event["comparison"]["operator"] = json!("== pointer1, \"\"); system(\"id\"); holds(pointer1 ==");
})]
#[case::step("step", "a step is called", |event: &mut Value| {
    let call = event["call"].as_str().unwrap_or_default().replacen(' ', "*/system(\"id\");/* ", 1);
    event["call"] = call.into();
})]
#[case::variable("role", "a role sets the variable `LD_PRELOAD`", |event: &mut Value| {
    event["place"]["environment"] = json!([["LD_PRELOAD", "/tmp/system.so"]]);
})]
#[case::expression("check", "a case computes", |event: &mut Value| {
    *event = json!({
        "event": "computed", "case": CASE, "value": 1, "expression": "{0}; system(\"id\")", "from": [1 << 20],
    });
})]
#[conformance::test()]
fn a_trace_writes_no_c(#[case] kind: &str, #[case] says: &str, #[case] change: fn(&mut Value)) -> Outcome {
    let (_, program) = reported(|_| ())?;
    check!(program.is_some(), "the trace itself has no program");
    let (printed, program) = reported(|event: &mut Value| {
        if event["event"] == kind {
            change(event);
        }
    })?;
    check!(program.is_none() && printed.contains(says), "{printed}{program:?}");
    Ok(())
}

/// The words of a check are not in the program, and the name of a role is a text, which stays one.
#[rstest]
#[conformance::test()]
fn words_of_a_trace_stay_texts() -> Outcome {
    let (printed, program) = reported(|event: &mut Value| match event["event"].as_str() {
        Some("check") => event["text"] = json!("a??/\", system(\"id\")); \u{202e}*/ \\"),
        Some("role") => event["name"] = json!("//KERNELS//??/\" }; int system_of_a_stranger;"),
        _ => {}
    })?;
    let program = program.ok_or(Stop::Harness(printed))?;
    check!(!program.contains("system(\"id") && !program.contains("system(\\\"id"), "{program}");
    check!(program.contains(r#""//KERNELS//?\?/\" }; int system_of_a_stranger;""#), "{program}");
    Ok(())
}

/// A trace whose numbers and bytes no call has is reported without a panic.
#[rstest]
#[case::device("role", |event: &mut Value| event["place"]["device"] = i32::MAX.into())]
#[case::arguments("call", |event: &mut Value| of_arguments(event, "value", &json!(u64::MAX)))]
#[case::long_bytes("call", |event: &mut Value| of_arguments(event, "bytes", &json!({ "hex": "ab".repeat(65) })))]
#[case::short_bytes("call", |event: &mut Value| of_arguments(event, "bytes", &json!({ "hex": "ab" })))]
#[case::many_bytes("call", |event: &mut Value| {
    of_arguments(event, "bytes", &json!({ "same": { "byte": 0, "length": u64::MAX } }));
})]
#[conformance::test()]
fn no_number_of_a_trace_panics(#[case] kind: &str, #[case] change: fn(&mut Value)) -> Outcome {
    reported(|event| {
        if event["event"] == kind {
            change(event);
        }
    })
    .map(drop)
}

fn of_arguments(event: &mut Value, field: &str, value: &Value) {
    let arguments = event["arguments"].as_array_mut().into_iter().flatten();
    arguments.for_each(|argument| argument[field] = value.clone());
}

/// What a text has if it is markup: a heading, a mention, an image, a link, and the end of what is folded.
const MARKUP: &str = "X</details> @octocat <img src=x> [click](http://evil) & #1\r\n\n# INJ\n```\n# INJ";

/// Checks that a page shows a text in place of its markup.
fn shows_no_markup(page: &str) -> Outcome {
    let mut fence = None;
    for line in page.split(['\n', '\r']) {
        let quotes = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(end) if line == end => fence = None,
            Some(_) => {}
            None if quotes.len() > 2 => fence = Some(quotes),
            None => {
                let outside = without_code(line);
                for markup in ["@octocat", "<img", "[click]", "X</details>", " & ", "#1"] {
                    check!(!outside.contains(markup), "{markup} is in {line} of {page}");
                }
                check!(!line.starts_with("# INJ"), "{page}");
            }
        }
    }
    check!(fence.is_none(), "{page}");
    Ok(())
}

/// Returns a line without its code, which is between backquotes of one number.
fn without_code(line: &str) -> String {
    let Some(start) = line.match_indices('`').map(|(place, _)| place).find(|place| !line[..*place].ends_with('\\'))
    else {
        return line.to_owned();
    };
    let (before, rest) = line.split_at(start);
    let quotes = rest.len() - rest.trim_start_matches('`').len();
    let inside = &rest[quotes..];
    let is_end = |place: &usize| {
        let run = inside[*place..].len() - inside[*place..].trim_start_matches('`').len();
        run == quotes && !inside[..*place].ends_with('`')
    };
    match (0..inside.len()).filter(|place| inside.is_char_boundary(*place)).find(is_end) {
        Some(end) => before.to_owned() + &without_code(&inside[end + quotes..]),
        None => line.to_owned(),
    }
}

/// A bug report shows the texts of a report as text, and its commands do nothing else.
#[rstest]
#[case::case(|report: &mut Report| report.cases[0].id = "x'; : >pwned; echo '".to_owned())]
#[case::given_library(|report: &mut Report| report.run.driver.given_path = Some("a'\n```\n# INJ\n: >pwned".to_owned()))]
#[case::library(|report: &mut Report| {
    report.run.driver.kind = Kind::Path;
    report.run.driver.path = format!("~/a'; : >pwned; '{MARKUP}");
})]
#[case::reason(|report: &mut Report| report.cases[0].reason = Some(MARKUP.replace('\n', " ")))]
#[case::driver(|report: &mut Report| report.run.driver.name = MARKUP.to_owned())]
#[case::step(|report: &mut Report| {
    let step = &mut report.cases[0].steps[0];
    (step.role, step.call, step.answer) = (MARKUP.to_owned(), MARKUP.to_owned(), MARKUP.to_owned());
})]
#[conformance::test()]
fn a_page_shows_texts_as_text(#[case] change: fn(&mut Report)) -> Outcome {
    let mut report = plain("580.10", 1);
    (report.cases[0].verdict, report.cases[0].reason) = (Verdict::Fail, Some("wrong".to_owned()));
    change(&mut report);
    let reports = Reports::new(&report, &report)?;
    fs::write(reports.path("trace"), "").map_err(harness)?;
    let output = reports.run(&["report", "old", "--trace", "trace", "--output", "bugs"])?;
    check!(output.status.code() == Some(0), "{}", text(&output.stderr));
    let entry = fs::read_dir(reports.path("bugs")).map_err(harness)?.flatten().next();
    let page = fs::read_to_string(entry.ok_or(Stop::Harness("no page".to_owned()))?.path()).map_err(harness)?;
    shows_no_markup(&page)?;
    let (_, commands) = page.split_once("```sh\n").ok_or_else(|| harness("no command"))?;
    // A redirection needs no program, and no other is found.
    let mut shell = Command::new("/bin/bash");
    shell.args(["-c", commands.split("\n```").next().unwrap_or_default()]).env("PATH", reports.path("bugs"));
    shell.current_dir(reports.folder.path()).stdin(Stdio::null()).output().map_err(harness)?;
    check!(!reports.path("pwned").exists(), "{page}");
    Ok(())
}

/// A comparison in Markdown shows the texts of a report as text.
#[rstest]
#[case::row(|report: &mut Report| report.cases[0].rows = vec![MARKUP.to_owned()])]
#[case::name(|report: &mut Report| report.cases[0].id = MARKUP.to_owned())]
#[case::reason(|report: &mut Report| report.cases[0].reason = Some(MARKUP.to_owned()))]
#[case::observation(|report: &mut Report| {
    report.cases[0].observations = [(MARKUP.to_owned(), MARKUP.into())].into();
})]
#[case::driver(|report: &mut Report| report.run.driver.version = MARKUP.to_owned())]
#[case::unended(|report: &mut Report| report.running = vec![MARKUP.to_owned()])]
#[conformance::test()]
fn a_comparison_shows_texts_as_text(#[case] change: fn(&mut Report)) -> Outcome {
    let old = plain("580.10", 2);
    let mut new = old.clone();
    (new.cases[0].verdict, new.cases[0].reason) = (Verdict::Fail, Some("wrong".to_owned()));
    change(&mut new);
    let output = Reports::new(&old, &new)?.run(&["diff", "old", "new", "--format", "markdown"])?;
    check!(output.status.code().is_some_and(|code| code < 2), "{}", text(&output.stderr));
    shows_no_markup(&text(&output.stdout))
}
