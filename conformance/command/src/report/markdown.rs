//! The page of a bug report.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use conformance::catalogue::{self, Row};
use conformance::identity::Kind;
use conformance::report::{CaseReport, Run, Step};
use conformance::{Defect, Verdict};

use super::comment::wrapped;
use super::condition::readable;
use super::record::Recorded;
use super::story::Unwritable;
use super::{glossary, steps};
use crate::markup::{block, inline, path, word};
use crate::output::Failure;
use crate::source::in_full;
use crate::told;

/// A bug report before it is written.
pub(super) struct Page<'report> {
    run: &'report Run,
    case: &'report CaseReport,
    rows: Vec<Row>,
    recorded: &'report Recorded,
    file: &'report str,
}

impl<'report> Page<'report> {
    pub(super) fn of(
        run: &'report Run,
        case: &'report CaseReport,
        recorded: &'report Recorded,
        file: &'report str,
    ) -> Result<Self, Failure> {
        let groups = catalogue::groups().map_err(Failure::new)?;
        let rows = groups.into_iter().flat_map(|group| group.row).filter(|row| case.rows.contains(&row.id)).collect();
        Ok(Self { run, case, rows, recorded, file })
    }

    /// Returns the sentence that names the bug.
    fn title(&self) -> String {
        let case = self.case;
        if let Some(disclosure) = case.disclosures.first().filter(|_| !fails_otherwise(case)) {
            return disclosure.clone();
        }
        if let Some(what) = case.failure.as_ref().and_then(conformance::Failure::what) {
            return what;
        }
        let Some(reason) = self.actual() else { return format!("the case {} passes", case.id) };
        let reason = reason.lines().next().unwrap_or_default();
        // A comparison says more with the call before it.
        let last = case.steps.last().map(Step::in_c).filter(|call| call.starts_with("cu"));
        let is_of_a_call = case.verdict != Verdict::Leak && !reason.contains("cu");
        match last.filter(|_| is_of_a_call).as_deref().and_then(|call| call.split('(').next()) {
            Some(call) => format!("{reason}, after {call}"),
            None => reason.to_owned(),
        }
    }

    /// Returns why the case did not pass, with the names that addresses and handles have in the steps.
    fn actual(&self) -> Option<String> {
        self.case.reason.as_ref().map(|reason| readable(&told::in_words(&self.case.steps, reason)))
    }

    /// Returns the steps, with the numbers that they have in the program: those of the recorded run, or of the report if no
    /// run was recorded.
    fn steps(&self) -> Vec<steps::Line> {
        match &self.recorded.story {
            Ok(story) => steps::of_story(story, &self.case.steps),
            Err(_) => self.case.steps.iter().cloned().map(steps::Listed::of).map(steps::Line::Step).collect(),
        }
    }

    /// Returns the environment variables with which the commands on the page begin. They are the settings of the reference
    /// driver and of the interposer, as `conformance report` itself has them.
    fn settings(&self) -> String {
        // An empty variable counts as unset.
        let texts = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(_, value)| !value.is_empty());
        let is_simulated = self.run.driver.kind != Kind::System;
        // The name of the machine may tell who chose it, and the case runs with any name.
        let is_of_the_reference_driver =
            |name: &str| name.starts_with("REFERENCE_DRIVER_") && name != "REFERENCE_DRIVER_MACHINE";
        // The interposer is a library given by path, and the run names the driver behind it.
        let is_interposed = self.run.driver.given_path.is_some();
        let is_setting = |name: &str| {
            is_simulated && is_of_the_reference_driver(name) || is_interposed && name.starts_with("FAULT_INTERPOSER_")
        };
        let mut settings: BTreeMap<_, _> = texts.filter(|(name, _)| is_setting(name)).collect();
        // Without a setting, the suite makes the driver simulate two devices. The driver alone simulates one.
        let is_told =
            ["REFERENCE_DRIVER_DEVICES", "REFERENCE_DRIVER_PROFILE"].iter().any(|name| settings.contains_key(*name));
        if self.run.driver.kind == Kind::Reference && !is_told {
            // With `--gpus`, the run has only the chosen devices, and the driver must have all before them too: those that
            // the suite numbers, and those that the program sees.
            let numbers = |gpus: &str| gpus.split(',').filter_map(|gpu| gpu.parse::<usize>().ok()).max();
            let last = [self.gpus(), self.visible()].into_iter().flatten().filter_map(numbers).max();
            let devices = last.map_or(self.run.devices.len(), |last| last.saturating_add(1).max(2));
            settings.insert("REFERENCE_DRIVER_DEVICES".to_owned(), devices.to_string());
        }
        settings.into_iter().map(|(name, value)| format!("{name}={} ", setting(&value))).collect()
    }

    /// Returns the GPUs that `--gpus` chose for the run of the report.
    fn gpus(&self) -> Option<&str> {
        let place = self.case.flags.iter().position(|flag| flag == "--gpus")?;
        self.case.flags.get(place + 1).map(String::as_str)
    }

    /// Returns the GPUs that `--gpus` chose as the driver numbers them. If `CUDA_VISIBLE_DEVICES` was set too, `--gpus` chose
    /// among its GPUs, and the report has those that were left.
    fn visible(&self) -> Option<&str> {
        let gpus = self.gpus()?;
        let host = self.run.environment.as_ref().and_then(|environment| environment.host.as_ref());
        let seen = host.and_then(|host| host.variables.get("CUDA_VISIBLE_DEVICES"));
        // A run without `--identify` hides UUIDs.
        Some(seen.filter(|seen| !seen.contains('…')).map_or(gpus, String::as_str))
    }

    /// Returns the comment at the head of the program.
    pub(super) fn head(&self) -> String {
        let mut text = format!("{}\n\n", self.title());
        for row in &self.rows {
            let _ = writeln!(text, "{}: {}", row.id, row.statement);
        }
        let _ = write!(
            text,
            "Recorded from the case {} of the conformance suite,\non {}.\n\n  gcc {file}.c -ldl -o {file} && ./{file}\n\n\
             Exits with 1 if the driver misbehaves, 0 if it behaves, 77 if this machine cannot run the program.\n\
             CUDA_IPC_DRIVER=PATH selects another library than libcuda.so.1.",
            self.case.id,
            self.run,
            file = self.file,
        );
        wrapped(&text)
    }

    pub(super) fn text(&self, no_program: Option<&Unwritable>) -> String {
        let (run, case) = (self.run, self.case);
        let mut text = format!("# {}\n\n", inline(&self.title()));
        for row in &self.rows {
            let _ = writeln!(text, "- **Rule** {}: {}", row.id, inline(&row.statement));
            for source in &row.source {
                let _ = writeln!(text, "- **Documentation** {}", inline(&in_full(source)));
            }
            let _ = writeln!(text, "- **Expected** {}", inline(&row.expected));
        }
        if case.verdict == Verdict::Leak {
            text += "- **Expected** After the processes have released what they held, nothing of it is left.\n";
        }
        let actual = self.actual().unwrap_or_else(|| "the case passes".to_owned());
        // A model adds the script that failed, on lines of its own.
        let (actual, more) = actual.split_once('\n').unwrap_or((&actual, ""));
        let _ = writeln!(text, "- **Actual** {}", inline(actual));
        for disclosure in &case.disclosures {
            let _ = writeln!(text, "- **Disclosure** {}", inline(disclosure));
        }
        let Recorded { failed, runs, unlike, others, is_of_another, .. } = self.recorded;
        // A page that was asked for by name can be of a case that passed.
        let is_shown = case.how_it_failed().is_some() || !case.disclosures.is_empty();
        let times = match (failed, runs) {
            (_, 0) => "it did not run again".to_owned(),
            (0, _) if !case.disclosures.is_empty() && case.how_it_failed().is_none() => {
                "a disclosure does not fail the case".to_owned()
            }
            (0, 1) => "it did not fail in 1 later run".to_owned(),
            (0, _) => format!("it did not fail in any of {runs} later runs"),
            _ if case.how_it_failed().is_some() => format!("in {failed} of {runs} later runs"),
            _ => format!("it did not pass in {failed} of {runs} later runs"),
        };
        let before = match case.runs {
            Some(runs) => format!("in {runs} runs of the report"),
            None if is_shown => "in the run of the report".to_owned(),
            None => "the case did not fail in the run of the report".to_owned(),
        };
        let mut unlike = unlike.as_ref().map(|how| format!("; {}", inline(how))).unwrap_or_default();
        // The count before it is that of all failures.
        if *others > 0 && *runs > 1 {
            unlike += &format!(" ({others} of {runs} later runs were unlike the run of the report)");
        }
        if *is_of_another {
            unlike += "; the steps and any program below are of such a run, not of the run of the report";
        } else if *failed == 0 && *runs > 0 && case.how_it_failed().is_some() {
            unlike += "; the steps and any program below are of a run that did not fail";
        }
        let _ = writeln!(text, "- **Frequency** {before}; {times}{unlike}");
        text += &details(more);
        text += "\n## Environment\n\n";
        let _ = writeln!(text, "- {}", inline(&run.to_string()));
        let _ = writeln!(text, "- library: {}", inline(&run.driver.path));
        if let Some(environment) = &run.environment {
            let kernel = environment.kernel_module.as_deref().unwrap_or("none");
            let _ = writeln!(text, "- kernel module: {}", inline(kernel));
            if let Some(host) = &environment.host {
                let _ = writeln!(text, "- system: {}", inline(&host.system));
            }
        }
        let settings = self.settings();
        let fresh = if run.fresh { " --fresh" } else { "" };
        // What fails in one of many runs can pass in a single one.
        let repeat = if run.repeat.get() > 1 { format!(" --repeat {}", run.repeat) } else { String::new() };
        let given = run.driver.given_path.as_deref().map(path);
        let driver = given.clone().unwrap_or_else(|| match run.driver.kind {
            Kind::Reference => "reference".into(),
            _ => "system".into(),
        });
        let flags: String = case.flags.iter().map(|argument| format!(" {}", word(argument))).collect();
        let command = format!(
            "{settings}cargo test -p conformance -- --driver {driver} --seed {}{fresh}{repeat}{flags} --exact {}",
            run.seed,
            word(&case.id)
        );
        let _ = write!(text, "\n## Reproduce\n\nThe case of the suite:\n\n{}", block("sh", &command));
        match no_program {
            None => {
                // The program finds the system's driver itself.
                let library = match given {
                    None if run.driver.kind == Kind::System => String::new(),
                    given => {
                        let library = given.unwrap_or_else(|| path(&run.driver.path));
                        format!("{settings}CUDA_IPC_DRIVER={library} ")
                    }
                };
                // `--gpus` is a flag of the suite. A program sees the GPUs that the variable names.
                let visible =
                    self.visible().map(|gpus| format!("CUDA_VISIBLE_DEVICES={} ", word(gpus))).unwrap_or_default();
                let file = self.file;
                let command = block("sh", &format!("gcc {file}.c -ldl -o {file} && {visible}{library}./{file}"));
                let _ = write!(
                    text,
                    "\nThe program [`{file}.c`]({file}.c), which needs no headers of CUDA. It exits with 1 if the driver misbehaves:\n\n\
                     {command}"
                );
            }
            Some(reason) => {
                let _ = write!(text, "\nThere is no program: {}.\n", inline(&reason.0));
            }
        }
        let lines = self.steps();
        let listed = steps::listed(&lines);
        if !listed.is_empty() {
            let places = self.recorded.story.as_ref().map(steps::places).unwrap_or_default();
            let gap = if places.is_empty() { "" } else { "\n" };
            let _ = write!(text, "\n## Steps\n\n{places}{gap}{listed}");
        }
        if let Ok(story) = &self.recorded.story
            && (case.verdict == Verdict::Leak || story.is_refused_at_the_end())
        {
            let given_back = steps::given_back(story);
            if !given_back.is_empty() {
                let _ = write!(text, "\nThen the processes released what they held:\n\n{given_back}");
            }
        }
        let steps: Vec<_> = lines
            .iter()
            .filter_map(|line| if let steps::Line::Step(it) = line { Some(&it.step) } else { None })
            .collect();
        text + &glossary::text(&steps)
    }
}

/// Whether a case failed in another way than by what it disclosed.
fn fails_otherwise(case: &CaseReport) -> bool {
    case.how_it_failed().is_some_and(|failure| failure.kind != Defect::Disclosure)
}

/// Writes the value of a setting. A path in the home folder begins with `~`, because that folder names a user.
fn setting(value: &str) -> String {
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let rest = home.and_then(|home| Path::new(value).strip_prefix(home).ok()?.to_str());
    match rest {
        Some(rest) => path(&format!("~/{rest}")).into_owned(),
        None => word(value).into_owned(),
    }
}

/// Returns what a reason says after its first line: text, or a case to paste, with a sentence before it.
fn details(reason: &str) -> String {
    let begins_a_line = |place: &usize| *place == 0 || reason[..*place].ends_with('\n');
    // A case to paste begins with what it imports.
    let Some(begin) = reason.match_indices("use ").map(|(place, _)| place).find(begins_a_line) else {
        return if reason.trim().is_empty() { String::new() } else { format!("\n{}", block("", reason)) };
    };
    let (before, case) = reason.split_at(begin);
    // The case ends with its last brace. A sentence may follow.
    let (case, after) = case.rfind("\n}").map_or((case, ""), |end| case.split_at(end + 2));
    let sentence =
        |text: &str| if text.trim().is_empty() { String::new() } else { format!("\n{}\n", inline(text.trim())) };
    format!("{}\n{}{}", sentence(before), block("rust", case), sentence(after))
}
