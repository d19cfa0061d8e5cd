//! Comparisons of call times: one call is slower, or all of them are.

use conformance::report::{Load, Report, Step};
use conformance::{Outcome, Stop, check};
use rstest::rstest;

use crate::command::{Reports, plain, text};

const CALLS: [&str; 4] = ["ipc_open_mem_handle", "ipc_close_mem_handle", "mem_alloc", "mem_free"];

/// Returns a report in which each call takes a time, in milliseconds, in each of three cases.
fn timed(ms: [f64; CALLS.len()], load: Option<Load>) -> Report {
    let mut report = plain("570.86.15", 3);
    report.run.load = load;
    for case in &mut report.cases {
        let step = case.steps[0].clone();
        let steps =
            CALLS.iter().zip(ms).map(|(call, ms)| Step { call: (*call).to_owned(), ms: Some(ms), ..step.clone() });
        case.steps = steps.collect();
    }
    report
}

fn diff(old: &Report, new: &Report) -> Result<(String, Option<i32>), Stop> {
    let output = Reports::new(old, new)?.run(&["diff", "old", "new"])?;
    Ok((text(&output.stdout), output.status.code()))
}

fn load(threads: f64) -> Option<Load> {
    Some(Load { threads, processors: 4 })
}

/// A call that became slower is one line, and a regression.
#[rstest]
#[conformance::test()]
fn a_slower_call_is_reported() -> Outcome {
    let (printed, code) = diff(&timed([0.03, 1.0, 1.0, 1.0], None), &timed([20.0, 1.0, 1.0, 1.0], None))?;
    check!(printed.contains("cuIpcOpenMemHandle: 0.030 to 20 ms, in 3 cases"), "{printed}");
    check!(code == Some(1), "{code:?}: {printed}");
    Ok(())
}

/// If every call became slower, none is a regression, and the text says what is known of the machine's load.
#[rstest]
#[case::busier(
    load(0.5),
    load(9.0),
    " The machine was busier before this run (load 9.0 on 4 processors) than before the old one (0.5 on 4 processors)."
)]
#[case::as_busy(
    load(2.0),
    load(2.9),
    " The machine was about as busy before this run (load 2.9 on 4 processors) as before the old one (2.0 on 4 processors), or less."
)]
#[case::unknown(None, load(9.0), "")]
#[conformance::test()]
fn a_slowdown_of_all_calls_is_not_a_regression(
    #[case] before: Option<Load>,
    #[case] now: Option<Load>,
    #[case] cause: &str,
) -> Outcome {
    let (printed, code) = diff(&timed([2.0; 4], before), &timed([8.0; 4], now))?;
    let sentence = format!("A typical call took 4.0 times as long.{cause} Only what slowed down more counts.");
    check!(printed.contains(&sentence), "{printed}");
    check!(code == Some(0) && !printed.contains("slower calls"), "{code:?}: {printed}");
    Ok(())
}

/// A busier machine can explain that every call takes ten times as long. On one that is known to be as busy as before,
/// nothing excuses it: each slower call is a regression.
#[rstest]
#[case::as_busy(load(2.0), load(2.1), 50.0, 1)]
#[case::less_than_ten_times(load(2.0), load(2.1), 8.0, 0)]
#[case::busier(load(0.5), load(9.0), 50.0, 0)]
#[case::unknown(None, load(2.0), 50.0, 0)]
#[conformance::test()]
fn a_large_slowdown_of_an_equally_busy_machine_is_a_regression(
    #[case] before: Option<Load>,
    #[case] now: Option<Load>,
    #[case] factor: f64,
    #[case] code: i32,
) -> Outcome {
    let (old, new) = (timed([2.0; 4], before), timed([2.0 * factor; 4], now));
    let (printed, found) = diff(&old, &new)?;
    check!(found == Some(code), "{found:?}: {printed}");
    let first = printed.lines().next().unwrap_or_default();
    check!(first.contains(&format!("a typical call took {factor:.1} times as long")), "{printed}");
    check!(printed.contains("slower calls (4)") == (code == 1), "{printed}");
    let says = "so each call that became slower counts";
    check!(printed.contains(says) == (code == 1), "{printed}");
    check!(printed.contains("Only what slowed down more counts.") == (code == 0), "{printed}");
    let output = Reports::new(&old, &new)?.run(&["diff", "old", "new", "--no-time"])?;
    check!(output.status.code() == Some(0), "{}", text(&output.stdout));
    Ok(())
}

/// A call that slowed down far more than all others is a regression on a busy machine too.
#[rstest]
#[conformance::test()]
fn a_call_that_slowed_down_more_than_the_others_is_reported() -> Outcome {
    let (printed, code) = diff(&timed([2.0; 4], load(0.0)), &timed([200.0, 8.0, 8.0, 8.0], load(4.0)))?;
    check!(printed.contains("cuIpcOpenMemHandle: 2.0 to 200 ms, in 3 cases"), "{printed}");
    check!(code == Some(1) && printed.contains("slower calls (1)"), "{code:?}: {printed}");
    Ok(())
}

/// If every call became slower, a case that became as much slower is not listed, and one that slowed down more is. If every
/// call became faster, a case that became faster is not listed either.
#[rstest]
#[case::slower([200.0, 200.0, 200.0], [1600.0, 4000.0, 200.0], 2.0, 8.0)]
#[case::faster([1600.0, 4000.0, 200.0], [200.0, 200.0, 200.0], 8.0, 2.0)]
#[conformance::test()]
fn a_case_that_slowed_down_more_than_the_calls_is_listed(
    #[case] before: [f64; 3],
    #[case] now: [f64; 3],
    #[case] call_before: f64,
    #[case] call_now: f64,
) -> Outcome {
    let with = |call, durations: [f64; 3]| {
        let mut report = timed([call; 4], load(1.0));
        // A call that only one case makes.
        for ((case, ms), call) in
            report.cases.iter_mut().zip(durations).zip(["event_create", "event_query", "event_record"])
        {
            case.steps.push(Step { call: call.to_owned(), ms: Some(ms), ..case.steps[0].clone() });
        }
        report
    };
    let (printed, _) = diff(&with(call_before, before), &with(call_now, now))?;
    let listed: Vec<_> = with(1.0, before).cases.iter().map(|case| printed.contains(&case.id)).collect();
    check!(listed == [false, true, false], "{listed:?}: {printed}");
    Ok(())
}

/// A record keeps how long each call took, although it has no steps. A report is compared with that.
#[rstest]
#[conformance::test()]
fn a_record_has_the_times_of_calls() -> Outcome {
    let reports = Reports::new(&timed([2.0; 4], None), &timed([200.0, 2.0, 2.0, 2.0], None))?;
    let made = reports.run(&["record", "update", "old", "--records", "."])?;
    check!(made.status.success(), "{}", text(&made.stderr));
    let output = reports.run(&["diff", "nvidia-570.86.15-h200-x2.jsonl", "new"])?;
    let printed = text(&output.stdout);
    check!(printed.contains("cuIpcOpenMemHandle: 2.0 to 200 ms, in 3 cases"), "{printed}");
    check!(output.status.code() == Some(1) && printed.contains("slower calls (1)"), "{printed}");
    Ok(())
}
