//! Runs cases again and records their driver calls.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use conformance::Verdict;
use conformance::diff::Cause;
use conformance::identity::Kind;
use conformance::report::{CaseReport, Report, Run};
use conformance::trace::{self, Event};

use super::story::{Story, Unwritable};
use super::{leak, prototype};

use crate::output::{Failure, remark};
use crate::suite::Suite;

/// The variables of the suite that a run which is repeated may inherit. Others choose cases, or name files to write.
const INHERITED: [&str; 3] = ["CONFORMANCE_DEADLINE", "CONFORMANCE_LOAD", "CONFORMANCE_PLANTED"];

/// The variable that gives the reference driver a fault.
const FAULT: &str = "REFERENCE_DRIVER_FAULT";

/// The longest recording of a case that is read, in bytes: it is kept in memory.
const LONGEST: usize = 2 << 30;

/// What was recorded of a case.
pub(crate) struct Recorded {
    /// A run that failed, or else one that passed.
    pub(crate) story: Result<Story, Unwritable>,
    /// In how many runs the case did not pass, and how many runs there were.
    pub(crate) failed: usize,
    pub(crate) runs: usize,
    /// How a later run was unlike that of the report: on another library, without its fault, or with another failure.
    pub(crate) unlike: Option<String>,
    /// How many runs were unlike that of the report.
    pub(crate) others: usize,
    /// Whether `story` is of such a run.
    pub(crate) is_of_another: bool,
}

/// Adds another run of a case to those before it.
fn add(sum: &mut Recorded, one: Recorded) {
    let length = |story: &Result<Story, Unwritable>| story.as_ref().map_or(0, |story| story.acts.len());
    // If a failure depends on chance, the run with the most tries shows it best.
    let verdict =
        |story: &Result<Story, Unwritable>| story.as_ref().map(|story| story.verdict.clone()).unwrap_or_default();
    // The page and the program are about the failure of the report, so a run that failed in this way comes first.
    let rank = |it: &Recorded| (it.failed > 0, !it.is_of_another);
    let is_better = match rank(&one).cmp(&rank(sum)) {
        Ordering::Greater => true,
        Ordering::Less => false,
        Ordering::Equal => verdict(&one.story) == verdict(&sum.story) && length(&one.story) > length(&sum.story),
    };
    if (is_better && one.story.is_ok()) || sum.story.is_err() {
        (sum.story, sum.is_of_another) = (one.story, one.is_of_another);
    }
    sum.failed += one.failed;
    sum.runs += one.runs;
    sum.others += one.others;
    sum.unlike = sum.unlike.take().or(one.unlike);
}

/// Runs cases again on the driver of a report, each with the flags that reproduce its failure.
pub(super) fn again(run: &Run, cases: &[&CaseReport], runs: usize) -> Result<Vec<Recorded>, Failure> {
    let suite = Suite::find()?;
    remark(&suite);
    let failed = |error: std::io::Error| Failure::new(format_args!("cannot record the cases: {error}"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let driver = &match (&run.driver.given_path, run.driver.kind) {
        (Some(path), _) => in_full(path)?,
        (None, Kind::Reference) => "reference".to_owned(),
        (None, Kind::System | Kind::Path) => "system".to_owned(),
    };
    remark(format_args!("cases to run again: {}, runs of each: {runs}", cases.len()));
    // If the suite knows none of the cases, it says which names are closest.
    let known = known(&suite)?;
    let knows_none = !cases.iter().any(|case| known.contains(&case.id));
    // Another script of a model may show nothing, so only cases with the same flags share a run.
    let mut groups: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
    for (place, case) in cases.iter().enumerate().filter(|(_, case)| knows_none || known.contains(&case.id)) {
        groups.entry(&case.flags).or_default().push(place);
    }
    let mut all: Vec<Option<Recorded>> = cases.iter().map(|_| None).collect();
    for (number, (flags, places)) in (0..runs).flat_map(|_| &groups).enumerate() {
        let group: Vec<_> = places.iter().map(|place| cases[*place]).collect();
        let list = folder.path().join("cases");
        let names: String = group.iter().map(|case| format!("{}\n", case.id)).collect();
        File::create(&list).and_then(|mut file| file.write_all(names.as_bytes())).map_err(failed)?;
        let file = folder.path().join(format!("trace-{number}"));
        let written = folder.path().join(format!("report-{number}"));
        let mut command = program(&suite);
        command.arg(format!("--driver={driver}"));
        command.args(["--seed", &run.seed.to_string(), "--fresh", "--test-threads", "1"]);
        // The trace of a case is that of one run.
        command.args(["--reruns", "0"]).args(*flags);
        command.arg("--cases").arg(&list).arg("--report").arg(&written).env(trace::VARIABLE, &file);
        let end = command.stdin(Stdio::null()).stdout(Stdio::null()).output().map_err(failed)?;
        // 0 and 101 are the ends of a run. Any other code means that it could not start or did not end.
        if !file.is_file() || !matches!(end.status.code(), Some(0 | 101)) {
            let said = String::from_utf8_lossy(&end.stderr);
            let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
            return Err(Failure::new(format_args!(
                "the suite did not run, or did not end ({}), on the driver {driver}, which is that of the report: {}",
                end.status,
                last.trim_start_matches("conformance: ")
            )));
        }
        let later = Report::read_outline(&written).map_err(Failure::new)?;
        for (place, mut one) in places.iter().zip(read(&file, &group)?) {
            one.unlike = unlike(run, cases[*place], &later);
            one.others = usize::from(one.unlike.is_some());
            one.is_of_another = one.unlike.is_some() && one.story.is_ok();
            match &mut all[*place] {
                Some(sum) => add(sum, one),
                none => *none = Some(one),
            }
        }
    }
    let unknown = || Recorded {
        story: Err(Unwritable::new("this suite has no case of that name: another version renamed or removed it")),
        failed: 0,
        runs: 0,
        unlike: None,
        others: 0,
        is_of_another: false,
    };
    Ok(all.into_iter().map(|recorded| recorded.unwrap_or_else(unknown)).collect())
}

/// Says how a later run of a case was unlike that of the report. Otherwise its result would count as the same failure.
fn unlike(run: &Run, case: &CaseReport, later: &Report) -> Option<String> {
    let (old, new) = (&run.driver, &later.run.driver);
    // The path is another one if the library moved.
    let is_other_file = old.sha256.as_ref().zip(new.sha256.as_ref()).is_some_and(|(old, new)| old != new);
    if is_other_file || (&old.name, &old.version, &old.cuda) != (&new.name, &new.version, &new.cuda) {
        return Some(format!(
            "the later runs were on another library: {} {} (CUDA {})",
            new.name, new.version, new.cuda
        ));
    }
    if let Some(fault) = fault_of(run).filter(|_| fault_of(run) != fault_of(&later.run)) {
        return Some(format!(
            "the later runs were without {FAULT}={fault}, which the run of the report had: set it, and report again"
        ));
    }
    let again = later.case(&case.id)?;
    let causes = Cause::of_cases(&[unexcused(case), unexcused(again)]);
    // A case that passed or only disclosed has no cause.
    let is_new = case.how_it_failed().is_none() && !causes.is_empty();
    let reason = again.reason.as_deref().and_then(|reason| reason.lines().next()).unwrap_or("no reason is given");
    let how = if is_new { "failed" } else { "failed in another way" };
    (is_new || causes.len() > 1).then(|| format!("a later run {how}: {reason}"))
}

/// Returns the fault that the reference driver had in a run. An empty variable counts as unset.
fn fault_of(run: &Run) -> Option<&str> {
    let host = run.environment.as_ref()?.host.as_ref()?;
    host.variables.get(FAULT).map(String::as_str).filter(|fault| !fault.is_empty())
}

/// Returns a case as it would have ended if no list knew its bug. Listed deviations have no cause.
fn unexcused(case: &CaseReport) -> CaseReport {
    let (failure, verdict) = match case.verdict {
        Verdict::Deviation => (case.how_it_failed(), Verdict::Fail),
        verdict => (case.failure.clone(), verdict),
    };
    CaseReport { failure, verdict, ..case.clone() }
}

/// Returns the suite as a command, without the settings of the run that writes the bug reports.
fn program(suite: &Suite) -> Command {
    let mut command = Command::new(&suite.program);
    let is_setting = |name: &str| name.starts_with("CONFORMANCE_") && !INHERITED.contains(&name);
    let names = std::env::vars_os().map(|(name, _)| name);
    names.filter(|name| name.to_str().is_some_and(is_setting)).for_each(|name| _ = command.env_remove(name));
    command
}

/// Returns the names of all cases of a suite.
fn known(suite: &Suite) -> Result<BTreeSet<String>, Failure> {
    let mut command = program(suite);
    command.args(["--list", "--format", "terse"]).stdin(Stdio::null());
    let listed = command.output();
    let listed = listed.map_err(|error| Failure::new(format_args!("cannot run the suite: {error}")))?;
    let text = String::from_utf8_lossy(&listed.stdout);
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// Returns a path of a report in full: reports have `~` for a home folder.
fn in_full(path: &str) -> Result<String, Failure> {
    let (Some(rest), Some(home)) = (path.strip_prefix("~/"), std::env::home_dir()) else { return Ok(path.to_owned()) };
    let full = home.join(rest);
    if full.exists() {
        return Ok(full.display().to_string());
    }
    Err(Failure::new(format_args!(
        "the driver of the report is {path}, and {} does not exist; set HOME to the home folder in which the library is",
        full.display()
    )))
}

/// Reads the recording of one run of each case.
pub(super) fn read(trace: &Path, cases: &[&CaseReport]) -> Result<Vec<Recorded>, Failure> {
    let failed = |error: std::io::Error| Failure::new(format_args!("cannot read {}: {error}", trace.display()));
    let mut stories: Vec<Option<Result<Story, Unwritable>>> = cases.iter().map(|_| None).collect();
    // The lines of the case that runs. Cases run one after another.
    let (mut lines, mut length, mut place) = (Vec::new(), 0, None);
    for line in BufReader::new(File::open(trace).map_err(failed)?).lines() {
        let line = line.map_err(failed)?;
        let began = line.starts_with(r#"{"event":"case""#);
        let ended = line.starts_with(r#"{"event":"end""#);
        // A model begins again with each script, and only the last one counts.
        if place.is_some() && line.starts_with(r#"{"event":"afresh""#) {
            lines.truncate(1);
            length = lines.iter().map(String::len).sum();
        }
        if began {
            let Ok(Event::Case { case, .. }) = serde_json::from_str(&line) else { continue };
            place = cases.iter().position(|wanted| wanted.id == case);
            (lines, length) = (Vec::new(), 0);
        }
        let Some(found) = place else { continue };
        length += line.len();
        if length < LONGEST || ended {
            lines.push(line);
        }
        if ended {
            stories[found] = Some(if length >= LONGEST {
                Err(Unwritable::new("its recording is longer than 2 GiB"))
            } else {
                story(&lines, &cases[found].id)
            });
            place = None;
        }
    }
    let recorded = |story: Option<Result<Story, Unwritable>>| {
        let story = story.unwrap_or_else(|| Err(Unwritable::new("the case did not run to its end")));
        let failed = story.as_ref().is_ok_and(|story| !matches!(&*story.verdict, "pass" | "unsupported"));
        Recorded { story, failed: usize::from(failed), runs: 1, unlike: None, others: 0, is_of_another: false }
    };
    Ok(stories.into_iter().map(recorded).collect())
}

fn story(lines: &[String], case: &str) -> Result<Story, Unwritable> {
    let events: Result<Vec<Event>, _> = lines.iter().map(|line| serde_json::from_str(line)).collect();
    let events = events.map_err(|error| Unwritable::new(format!("a line of the trace is no event: {error}")))?;
    if let Some(call) = events.iter().find_map(damaged) {
        return Err(Unwritable::new(format!("the trace has a call of {call} with the wrong number of arguments")));
    }
    let mut story = Story::of(&events, case)?;
    leak::arrange(&mut story);
    Ok(story)
}

/// Returns the function of a call that has another number of arguments than its prototype.
fn damaged(event: &Event) -> Option<&str> {
    let Event::Call(call) = event else { return None };
    let expected = prototype::of(&call.function)?.parameters.len();
    (call.arguments.len() != expected).then_some(&*call.function)
}
