//! Looks for a shorter script that fails in the same way, and says what failed.

use std::time::{Duration, Instant};

use conformance::{Again, Models, Note, Stop, Verdict, annotate, tell};
use proptest::strategy::ValueTree as _;

use super::processes::{Failed, Processes};
use super::script::Shorter;

/// When a search for a shorter script ends. A script that ends in a hang takes a deadline each time.
const MOST_TRIES: u32 = 400;
const LONGEST_SEARCH: Duration = Duration::from_secs(60);

/// A script that failed.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) script: Shorter,
    pub(crate) failed: Failed,
    pub(crate) number: u32,
    /// How many scripts of the run failed that do not end the search, this one included.
    pub(crate) alike: u32,
}

/// What two scripts that fail in the same way have in common.
#[derive(Debug, PartialEq, Eq)]
struct Signature {
    verdict: Verdict,
    row: Option<&'static str>,
    reason: String,
}

impl Signature {
    /// The reason has no numbers here: a shorter script has other addresses, counts and processes.
    fn of(failed: &Failed) -> Self {
        let reason = match &failed.stop {
            Stop::Corrupted(_) => "wrong contents".to_owned(),
            stop => without_numbers(&stop.to_string()),
        };
        Self { verdict: failed.stop.verdict(), row: failed.row, reason }
    }
}

/// Replaces each word that has a digit.
fn without_numbers(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let without = |word: &str| match word.find(|c: char| !c.is_ascii_alphanumeric()) {
        _ if !word.contains(|c: char| c.is_ascii_digit()) => word.to_owned(),
        Some(end) => format!("#{}", &word[end..]),
        None => "#".to_owned(),
    };
    words.map(without).collect()
}

/// Looks for a shorter script that fails in the same way, performs it a last time on new processes, and says how it reads.
///
/// The report and the trace have that last performance. If the script does not fail on new processes, they still
/// have that performance. It does not show the failure, so there is no program.
pub(crate) fn report(processes: &mut Processes, found: Finding, asked: Models) -> Stop {
    let Finding { script: mut tree, failed, number, alike } = found;
    if asked.soak.is_some() {
        let reason = failed.stop.to_string();
        tell(&format!("script {number}: {}", reason.lines().next().unwrap_or_default()));
    }
    let (signature, original) = (Signature::of(&failed), tree.current());
    let is_same = |failed: &Failed| Signature::of(failed) == signature;
    let Some(on_new) = processes.perform_anew(&original).err().filter(is_same) else {
        // The first script of a run had new processes the first time too.
        let (why, again) = if number == 0 || asked.script.is_some() {
            ("by chance", Again::Script(number))
        } else {
            ("only after the scripts before it, or by chance", Again::Scripts(number + 1))
        };
        let text = format!("It did not fail again on new processes, so it fails {why}.");
        let text = format!("script {number}:\n{}\n{text}", failed.text(&original));
        annotate(Note { text, again: Some(again), row: failed.row });
        return failed.stop;
    };
    let mut shortest = (on_new, original.clone());
    if !asked.no_shrink {
        let (mut goes_on, mut tries, began) = (tree.simplify(), 0, Instant::now());
        while goes_on && tries < MOST_TRIES && began.elapsed() < LONGEST_SEARCH {
            tries += 1;
            goes_on = match processes.perform(&tree.current()).err().filter(is_same) {
                Some(failed) => {
                    shortest = (failed, tree.current());
                    tree.simplify()
                }
                None => tree.complicate(),
            };
        }
        // What processes did in the search before may have a part in the failure of the shortest script.
        for script in [shortest.1.clone(), original.clone()] {
            if let Some(failed) = processes.perform_anew(&script).err().filter(is_same) {
                shortest = (failed, script);
                break;
            }
        }
    }
    let (failed, script) = shortest;
    let (before, after) = (original.steps.len(), script.steps.len());
    let head =
        format!("script {number}, shortened from {before} steps to {after}; its last lines check what the steps leave");
    let more = if alike > 1 { format!(" ({alike} scripts differ)") } else { String::new() };
    let text = format!("{head}{more}:\n{}", failed.text(&script));
    annotate(Note { text, again: Some(Again::Script(number)), row: failed.row });
    failed.stop
}
