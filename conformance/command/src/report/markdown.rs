//! The page of a bug report.

use std::fmt::Write as _;

use conformance::catalogue::{self, Row};
use conformance::report::{CaseReport, Run};

use super::record::Recorded;
use super::story::Unwritable;
use crate::output::Failure;
use crate::told::told;

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
        if let Some(disclosure) = self.case.disclosures.first() {
            return disclosure.clone();
        }
        let what = self.case.failure.as_ref().and_then(conformance::Failure::what);
        what.or_else(|| self.case.reason.clone()).unwrap_or_else(|| format!("the case {} passes", self.case.id))
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
        let mut text = format!("# {}\n\n", escape(&self.title()));
        for row in &self.rows {
            let _ = writeln!(text, "- **Rule** {}: {}", row.id, escape(&row.statement));
            for source in &row.source {
                let _ = writeln!(text, "- **Documentation** {}", escape(source));
            }
            let _ = writeln!(text, "- **Expected** {}", escape(&row.expected));
        }
        let actual = case.reason.as_deref().unwrap_or("the case passes");
        let _ = writeln!(text, "- **Actual** {}", escape(actual));
        for disclosure in &case.disclosures {
            let _ = writeln!(text, "- **Disclosure** {}", escape(disclosure));
        }
        let Recorded { failed, runs, .. } = self.recorded;
        let times = match (failed, runs) {
            (0, 1) if case.disclosures.is_empty() => "not in 1 later run".to_owned(),
            (0, _) if !case.disclosures.is_empty() => "a disclosure does not fail the case".to_owned(),
            _ => format!("{failed} of {runs} later runs failed"),
        };
        let before = case.runs.map_or_else(|| "the run".to_owned(), |runs| format!("{runs} runs"));
        let _ = writeln!(text, "- **Frequency** in {before} of the report; {times}");
        text += "\n## Environment\n\n";
        let _ = writeln!(text, "- {}", escape(&run.to_string()));
        let _ = writeln!(text, "- library: {}", escape(&run.driver.path));
        if let Some(environment) = &run.environment {
            let kernel = environment.kernel_module.as_deref().unwrap_or("none");
            let _ = writeln!(text, "- kernel module: {}", escape(kernel));
            if let Some(host) = &environment.host {
                let _ = writeln!(text, "- system: {}", escape(&host.system));
            }
        }
        let fresh = if run.fresh { " --fresh" } else { "" };
        let driver = run.driver.given_path.as_deref().unwrap_or(match run.driver.kind {
            conformance::identity::Kind::Reference => "reference",
            _ => "system",
        });
        let _ = write!(
            text,
            "\n## Reproduce\n\nThe case of the suite:\n\n```sh\ncargo test -p conformance -- --driver {driver} --seed {}{fresh} --exact '{}'\n```\n",
            run.seed, case.id
        );
        match no_program {
            None => {
                // The program finds the system's driver itself.
                let library = match run.driver.kind {
                    conformance::identity::Kind::System => String::new(),
                    _ => format!("CUDA_IPC_DRIVER='{}' ", run.driver.path),
                };
                let _ = write!(
                    text,
                    "\nThe program [`{file}.c`]({file}.c), which needs no headers of CUDA. It exits with 1 if the driver misbehaves:\n\n\
                     ```sh\ngcc {file}.c -ldl -o {file} && {library}./{file}\n```\n",
                    file = self.file
                );
            }
            Some(reason) => {
                let _ = write!(text, "\nThere is no program: {}.\n", escape(&reason.0));
            }
        }
        if !case.steps.is_empty() {
            text += "\n## Steps\n\n";
            for (number, step) in told(&case.steps).into_iter().enumerate() {
                let _ = writeln!(
                    text,
                    "{}. {}: `{}` → `{}`",
                    number + 1,
                    escape(&step.role),
                    code(&step.call),
                    code(&step.answer)
                );
            }
        }
        text
    }
}

/// Escapes what Markdown would take for markup.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '|' => escaped.extend(['\\', c]),
            '\n' => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}

fn code(text: &str) -> String {
    text.replace('`', "'").replace('\n', " ")
}

/// Breaks lines for a comment.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 110;
    let mut wrapped = String::new();
    for line in text.lines() {
        // A command stays one line.
        if line.starts_with("  ") {
            wrapped += line;
            wrapped.push('\n');
            continue;
        }
        let mut length = 0;
        for (place, word) in line.split(' ').enumerate() {
            let is_too_long = length + word.len() >= WIDTH;
            if place > 0 {
                wrapped.push(if is_too_long { '\n' } else { ' ' });
            }
            length = if is_too_long { word.len() } else { length + word.len() + 1 };
            wrapped += word;
        }
        wrapped.push('\n');
    }
    // A comment must not end early.
    wrapped.replace("*/", "* /")
}
