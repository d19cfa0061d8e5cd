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

/// A call became slower or faster only by a factor of more than three, and by more than 1 ms.
#[rstest]
#[case::three_times(2.0, 6.0, false)]
#[case::one_millisecond(0.25, 1.25, false)]
#[case::more(2.0, 7.0, true)]
#[conformance::test()]
fn a_small_change_of_a_call_is_not_reported(
    #[case] shorter: f64,
    #[case] longer: f64,
    #[case] is_reported: bool,
) -> Outcome {
    let with = |ms| timed([ms, 1.0, 1.0, 1.0], None);
    let (printed, code) = diff(&with(shorter), &with(longer))?;
    check!(printed.contains("slower calls (1)") == is_reported && code == Some(i32::from(is_reported)), "{printed}");
    let (printed, code) = diff(&with(longer), &with(shorter))?;
    check!(printed.contains("faster calls (1)") == is_reported && code == Some(0), "{printed}");
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
/// call became faster, a case that became as much faster is not listed either, and no call is. More means more than three
/// times as much.
#[rstest]
#[case::slower([200.0, 200.0, 200.0], [1600.0, 4000.0, 200.0], 2.0, 8.0)]
#[case::faster([1600.0, 4000.0, 200.0], [200.0, 200.0, 200.0], 8.0, 2.0)]
#[case::three_times_slower([192.0, 192.0, 192.0], [2368.0, 4000.0, 192.0], 2.0, 8.0)]
#[case::three_times_faster([2368.0, 4000.0, 192.0], [192.0, 192.0, 192.0], 8.0, 2.0)]
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
    check!(printed.contains("\ncases: 1 time, 2 the same\n") && !printed.contains(" calls ("), "{printed}");
    Ok(())
}

/// A record keeps how long each call took, although it has no steps. A report is compared with that.
#[rstest]
#[conformance::test()]
fn a_record_has_the_times_of_calls() -> Outcome {
    let (printed, code) = diff_of_the_record(&timed([2.0; 4], None), &timed([200.0, 2.0, 2.0, 2.0], None))?;
    check!(printed.contains("cuIpcOpenMemHandle: 2.0 to 200 ms, in 3 cases"), "{printed}");
    check!(code == Some(1) && printed.contains("slower calls (1)"), "{code:?}: {printed}");
    Ok(())
}

/// Compares the record of a report with another report.
fn diff_of_the_record(old: &Report, new: &Report) -> Result<(String, Option<i32>), Stop> {
    let reports = Reports::new(old, new)?;
    let made = reports.run(&["record", "update", "old", "--records", "."])?;
    check!(made.status.success(), "{}", text(&made.stderr));
    let output = reports.run(&["diff", "nvidia-570.86.15-h200-x2.jsonl", "new"])?;
    Ok((text(&output.stdout), output.status.code()))
}

/// A call is slower than in a record only if it takes much longer than the median, and longer than nine tenths of the
/// recorded steps. It is faster only if it takes much less than the median, and less than nine tenths of them.
#[rstest]
#[case::slower([2.0; 3], [200.0; 3], "slower")]
#[case::faster([200.0; 3], [2.0; 3], "faster")]
#[case::a_little_slower([2.0; 3], [2.5; 3], "neither")]
#[case::a_little_faster([2.5; 3], [2.0; 3], "neither")]
#[case::as_long_as_a_recorded_step([2.0, 2.0, 200.0], [200.0; 3], "neither")]
#[case::as_short_as_a_recorded_step([200.0, 200.0, 2.0], [2.0; 3], "neither")]
#[conformance::test()]
fn a_record_has_the_spread_of_calls(#[case] before: [f64; 3], #[case] now: [f64; 3], #[case] told: &str) -> Outcome {
    let with = |times: [f64; 3]| {
        let mut report = timed([1.0; 4], None);
        report.cases.iter_mut().zip(times).for_each(|(case, ms)| case.steps[0].ms = Some(ms));
        report
    };
    let (printed, code) = diff_of_the_record(&with(before), &with(now))?;
    for word in ["slower", "faster"] {
        check!(printed.contains(&format!("{word} calls (1)")) == (told == word), "{printed}");
    }
    check!(code == Some(i32::from(told == "slower")), "{code:?}: {printed}");
    Ok(())
}

/// A record has no times of calls that CUDA refuses, and fewer than three steps can be slow by chance. Neither is slower
/// than the record.
#[rstest]
#[case::refused(|new: &mut Report| {
    let steps = new.cases.iter_mut().map(|case| &mut case.steps[0]);
    steps.for_each(|step| "CUDA_ERROR_INVALID_VALUE (1)".clone_into(&mut step.answer));
})]
#[case::two_steps(|new: &mut Report| _ = new.cases[0].steps.remove(0))]
#[conformance::test()]
fn what_a_record_cannot_say_is_not_slower(#[case] plant: fn(&mut Report)) -> Outcome {
    let mut new = timed([200.0, 2.0, 2.0, 2.0], None);
    plant(&mut new);
    let (printed, code) = diff_of_the_record(&timed([2.0; 4], None), &new)?;
    check!(code == Some(0) && !printed.contains("slower"), "{code:?}: {printed}");
    Ok(())
}

/// The number of steps with one call in each of 145 cases, as in a run of the whole suite: three cases have most of them.
fn opens() -> Vec<usize> {
    [vec![400, 300, 213], vec![1; 110], vec![7; 32]].concat()
}

/// Returns a report whose cases open handles so often. Each of these steps takes a time that depends on the number of the
/// case and of the step in it.
fn whole(ms: impl Fn(usize, usize) -> f64) -> Report {
    let mut report = plain("570.86.15", opens().len());
    for (place, (case, steps)) in report.cases.iter_mut().zip(opens()).enumerate() {
        let step = |call: &str, ms| Step { call: call.to_owned(), ms: Some(ms), ..case.steps[0].clone() };
        let others = ["mem_alloc", "ipc_get_mem_handle", "ipc_close_mem_handle"].map(|call| step(call, 0.05));
        case.steps = (0..steps).map(|number| step(CALLS[0], ms(place, number))).chain(others).collect();
    }
    report
}

/// The comparison names a slower call, even if a few cases make most of the calls and none of them is slower.
#[rstest]
#[case::in_61_cases(|place, _| (10..71).contains(&place), 61)]
#[case::the_first_of_each_case(|_, number| number == 0, 110)]
#[case::in_cases_with_few_opens(|place, _| opens()[place] <= 20, 142)]
#[conformance::test()]
fn a_few_cases_with_most_calls_hide_nothing(
    #[case] is_slow: fn(usize, usize) -> bool,
    #[case] cases: usize,
) -> Outcome {
    let new = whole(|place, number| if is_slow(place, number) { 20.0 } else { 0.03 });
    let (printed, code) = diff(&whole(|_, _| 0.03), &new)?;
    let says = format!("1 call became slower: cuIpcOpenMemHandle: 0.030 to 20 ms, in {cases} cases");
    check!(printed.contains(&says), "{printed}");
    check!(code == Some(1), "{code:?}: {printed}");
    Ok(())
}

/// Chance makes steps slower in some cases, and others faster. The comparison names neither, even if both are many.
#[rstest]
#[case::some_slower(|place| place > 2 && place % 5 == 0, |_| false)]
#[case::many_of_both(|place| place > 2 && place % 5 < 2, |place| place > 2 && place % 5 > 2)]
#[conformance::test()]
fn chance_is_not_a_slower_call(#[case] is_slower: fn(usize) -> bool, #[case] is_faster: fn(usize) -> bool) -> Outcome {
    let with = |is_slow: fn(usize) -> bool| whole(move |place, _| if is_slow(place) { 9.0 } else { 0.03 });
    let (printed, code) = diff(&with(is_faster), &with(is_slower))?;
    check!(code == Some(0) && !printed.contains("slower") && !printed.contains("faster"), "{code:?}: {printed}");
    Ok(())
}

/// Calls that CUDA refuses are compared with each other, and so are those that succeed.
#[rstest]
#[case::refused(true, "cuIpcOpenMemHandle (refused): 0.030 to 20 ms, in 3 cases")]
#[case::succeeds(false, "cuIpcOpenMemHandle: 0.030 to 20 ms, in 3 cases")]
#[conformance::test()]
fn refused_calls_are_compared_apart(#[case] is_refused: bool, #[case] says: &str) -> Outcome {
    let with = |ms: f64| {
        let mut report = timed([5.0; 4], None);
        for case in &mut report.cases {
            // The other steps would hide this one in a median of all of them.
            let [mut rare, mut usual] = [case.steps[0].clone(), case.steps[0].clone()];
            let refused = if is_refused { &mut rare } else { &mut usual };
            "CUDA_ERROR_INVALID_VALUE (1)".clone_into(&mut refused.answer);
            rare.ms = Some(ms);
            case.steps.splice(0..1, [rare, usual.clone(), usual.clone(), usual]);
        }
        report
    };
    let (printed, code) = diff(&with(0.03), &with(20.0))?;
    check!(printed.contains(says) && printed.contains("slower calls (1)"), "{printed}");
    check!(code == Some(1), "{code:?}: {printed}");
    Ok(())
}

/// A helper of the suite that is one call of CUDA is timed as this call.
#[rstest]
#[case("mem_import_from_descriptor", "cuMemImportFromShareableHandle")]
#[case("mem_pool_export_to_fabric", "cuMemPoolExportToShareableHandle")]
#[case("mem_info", "cuMemGetInfo")]
#[conformance::test()]
fn a_helper_is_timed_as_its_call(#[case] helper: &str, #[case] call: &str) -> Outcome {
    let with = |ms: f64| {
        let mut report = timed([1.0; 4], None);
        report.cases.iter_mut().for_each(|case| {
            let step = Step { call: format!("{helper} {{}}"), ms: Some(ms), ..case.steps[0].clone() };
            case.steps.push(step);
        });
        report
    };
    let (printed, code) = diff(&with(0.03), &with(20.0))?;
    check!(printed.contains(&format!("1 call became slower: {call}: 0.030 to 20 ms, in 3 cases")), "{printed}");
    check!(code == Some(1), "{code:?}: {printed}");
    Ok(())
}
