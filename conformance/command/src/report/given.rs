//! What a report from somebody else may make this command do: only run cases, in the way in which they failed.

use std::path::Path;

use conformance::report::CaseReport;

use crate::output::Failure;

/// What follows a flag.
#[derive(Clone, Copy)]
enum Value {
    None,
    Number,
    /// A positive number, which may have a fraction.
    Amount,
    /// Numbers with commas between them.
    Numbers,
    /// Files with colons between them, which the suite only reads.
    Files,
}

impl Value {
    fn fits(self, text: &str) -> bool {
        match self {
            Self::None => false,
            Self::Number => text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u32>().is_ok(),
            Self::Amount => text.parse().is_ok_and(|amount: f64| amount > 0.0 && amount.is_finite()),
            Self::Numbers => text.split(',').all(|number| Self::Number.fits(number)),
            // A device such as `/dev/zero` would be read without end.
            Self::Files => !text.starts_with('-') && text.split(':').all(|path| Path::new(path).is_file()),
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::None => "no value",
            Self::Number => "a number",
            Self::Amount => "a positive number",
            Self::Numbers => "a list of numbers",
            Self::Files => "a list of files of this machine",
        }
    }
}

/// The flags that the suite writes into a report: the settings of a run that change what a case does, and what a case adds
/// to run again as it failed.
const FLAGS: [(&str, Value); 8] = [
    ("--gpus", Value::Numbers),
    ("--deviations", Value::Files),
    ("--no-shipped-deviations", Value::None),
    ("--deadline", Value::Amount),
    ("--script", Value::Number),
    ("--scripts", Value::Number),
    ("--soak", Value::Amount),
    ("--load", Value::None),
];

/// Checks the names and the flags of cases. This command passes them to the suite, and the page has them in a command to
/// paste. Another flag, such as `--report`, can overwrite any file.
pub(super) fn check(report: &Path, cases: &[&CaseReport]) -> Result<(), Failure> {
    let refused = |what: String| Err(Failure::new(format_args!("{}, {what}", report.display())));
    for case in cases {
        if case.id.starts_with('-') || case.id.contains(char::is_control) {
            return refused(format!("a case is called {:?}, which is not the name of a case", case.id));
        }
        let mut flags = case.flags.iter();
        while let Some(flag) = flags.next() {
            let Some((_, value)) = FLAGS.iter().find(|(name, _)| name == flag) else {
                return refused(format!("case {}: the suite writes no flag {flag:?} into a report", case.id));
            };
            if matches!(value, Value::None) {
                continue;
            }
            let given = flags.next().map(String::as_str).unwrap_or_default();
            if !value.fits(given) {
                return refused(format!("case {}: the flag {flag} needs {}, not {given:?}", case.id, value.words()));
            }
        }
    }
    Ok(())
}
