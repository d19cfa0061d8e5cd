//! Turns repeated lines of C into loops.
//!
//! A case that does the same a thousand times becomes a thousand blocks of lines, which differ only in the numbers of
//! their variables and in literals. Here they become one block in a loop.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::piece::{MARK, Piece, pieces, shape};

/// How often a block must be repeated to become a loop. Fewer are easier to read one by one.
const FEWEST: usize = 8;
/// The longest block that becomes a loop, in lines.
const LONGEST: usize = 64;
/// After a run that cannot be a loop, this share of it is left out.
const SHARE: usize = 16;
/// Begins the first line of a step.
const STEP: &str = "/* step ";
/// The most literals that follow no rule and are listed instead.
const MOST_LISTED: usize = 512;
/// The names of the counters of loops, from the innermost one.
const COUNTERS: [&str; 3] = ["round", "turn", "series"];

/// A variable: type and name, which may have an initial value.
type Variable = (String, String);

/// A number in each round of a loop.
enum Series {
    Same,
    /// The difference between two rounds.
    Rising(i128),
    Listed,
}

/// The body of a participant: its variables and its lines.
pub(crate) struct Body {
    pub(crate) variables: Vec<Variable>,
    pub(crate) lines: Vec<String>,
}

/// A run of equal blocks.
#[derive(Clone, Copy)]
struct Run {
    start: usize,
    length: usize,
    rounds: usize,
}

impl Body {
    /// Turns repeated lines into loops, from the innermost one.
    pub(crate) fn rolled(mut self) -> Self {
        // First the lines inside threads, so that equal threads look equal; then the threads; then the rest, whose loops
        // would otherwise take over variables that the threads use.
        while self.roll_once(false, self.end_of_threads()) {}
        while self.roll_once(true, usize::MAX) {}
        while self.roll_once(false, usize::MAX) {}
        self
    }

    /// Returns the place of the first step after the last thread: 0 if there is no thread.
    fn end_of_threads(&self) -> usize {
        let Some(last) = self.lines.iter().rposition(|line| line.trim() == MARK) else { return 0 };
        let next = self.lines[last..].iter().position(|line| line.trim_start().starts_with(STEP) || line.is_empty());
        next.map_or(self.lines.len(), |next| last + next)
    }

    /// Rolls the first run that begins before a line. Returns false if there is none.
    fn roll_once(&mut self, of_threads: bool, before: usize) -> bool {
        let names: BTreeSet<_> = self.variables.iter().map(|(_, name)| bare(name).to_owned()).collect();
        let pieces: Vec<_> = self.lines.iter().map(|line| pieces(line, &names)).collect();
        let mut shapes: BTreeMap<String, usize> = BTreeMap::new();
        let shapes: Vec<_> = pieces
            .iter()
            .map(|pieces| {
                let next = shapes.len();
                *shapes.entry(shape(pieces)).or_insert(next)
            })
            .collect();
        // The lines that use each variable.
        let mut used: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, line) in pieces.iter().enumerate() {
            line.iter().filter_map(Piece::name).for_each(|name| used.entry(name).or_default().push(place));
        }
        // Where blocks of each length are tried again after a run that is no loop: one line later, it rarely is. So a long run
        // that cannot be a loop is not tried from each of its lines.
        let mut again = [0; LONGEST];
        let mut start = 0;
        while start < shapes.len().min(before) {
            for (length, again) in (1..=LONGEST.min(shapes.len() - start)).zip(&mut again) {
                let is_thread = self.lines[start] == format!("    {MARK}");
                let fewest = if is_thread { 2 } else { FEWEST };
                if is_thread != of_threads {
                    break;
                }
                if start < *again {
                    continue;
                }
                let Some(run) = run(&shapes, start, length).filter(|run| run.rounds >= fewest) else { continue };
                // The block may begin at any of its lines. The best beginning needs no array.
                let shifted = (0..length).map(|by| Run {
                    start: start + by,
                    rounds: run.rounds - usize::from(by > run.rest(&shapes)),
                    ..run
                });
                let mut shifted: Vec<_> = shifted.filter(|run| is_balanced(&self.lines, *run, of_threads)).collect();
                // The key reads all lines of the run.
                shifted.sort_by_cached_key(|run| arrays(&pieces, &used, *run).len());
                for run in shifted {
                    if self.roll(&pieces, &used, run) {
                        return true;
                    }
                }
                *again = start + length * (run.rounds / SHARE);
            }
            start += 1;
        }
        false
    }

    /// Replaces a run by a loop. Returns false if that is not possible.
    fn roll(&mut self, pieces: &[Vec<Piece>], used: &BTreeMap<String, Vec<usize>>, run: Run) -> bool {
        let Run { start, length, rounds } = run;
        let lines = start..start + length * rounds;
        let counter = COUNTERS.iter().find(|name| {
            let counts = format!(" {name} = 0;");
            !self.lines[start..start + length].iter().any(|line| line.contains(&counts))
        });
        let Some(counter) = counter else { return false };
        let arrays = arrays(pieces, used, run);
        let mut array_of: BTreeMap<String, String> = BTreeMap::new();
        let mut declared = Vec::new();
        let types_of: BTreeMap<_, _> = self.variables.iter().map(|(of, name)| (bare(name), (of, name))).collect();
        for ((stem, step, _), numbers) in &arrays {
            let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return false };
            let array = format!("{stem}s{first}");
            let members: Vec<_> =
                (*first..=*last).step_by(*step as usize).map(|number| format!("{stem}{number}")).collect();
            let types: Option<BTreeSet<_>> = members.iter().map(|name| type_of(&types_of, name)).collect();
            let Some(types) = types.filter(|types| types.len() == 1) else { return false };
            let (of, initial) = types.into_iter().next().unwrap_or_default();
            // The variables of a round can be arrays.
            let of_one = types_of.get(&*members[0]).map_or("", |(_, name)| &name[bare(name).len()..]);
            let length = if of_one.starts_with('[') { of_one } else { "" };
            let of = of.trim_start_matches("static ");
            let initial = match initial {
                "" => String::new(),
                initial => format!(" = {{ [0 ... {}] = {initial} }}", members.len() - 1),
            };
            declared.push((format!("static {of}"), format!("{array}[{}]{length}{initial}", members.len())));
            for (index, member) in members.into_iter().enumerate() {
                array_of.insert(member, format!("{array}[{index}]"));
            }
        }
        // The variables that live for one round. Each round has the names of the first one.
        let mut inner: BTreeMap<String, String> = BTreeMap::new();
        let mut block = Vec::new();
        let mut tables = Vec::new();
        for offset in 0..length {
            let first = &pieces[start + offset];
            let is_comment = self.lines[start + offset].trim_start().starts_with("/*");
            let mut line = String::new();
            for (place, piece) in first.iter().enumerate() {
                let of_rounds: Vec<_> =
                    (0..rounds).map(|round| &pieces[start + round * length + offset][place]).collect();
                line += &match (piece, series(&of_rounds)) {
                    (Piece::Text(text), _) => text.clone(),
                    (piece, Series::Same) => piece.text(),
                    (piece, _) if is_comment => piece.text(),
                    (Piece::Literal(first, is_hexadecimal), Series::Rising(step)) => {
                        rising(*first, step, *is_hexadecimal, counter)
                    }
                    (Piece::Literal(..), Series::Listed) => {
                        if rounds > MOST_LISTED {
                            return false;
                        }
                        let table = format!("listed{}_{}", start + offset, place);
                        let all: Vec<_> = of_rounds.iter().map(|piece| piece.text()).collect();
                        tables
                            .push(format!("    static const unsigned long long {table}[] = {{ {} }};", all.join(", ")));
                        format!("{table}[{counter}]")
                    }
                    (Piece::Variable(stem, number), Series::Rising(step)) => {
                        let name = format!("{stem}{number}");
                        match array_of.get(&name) {
                            Some(element) => {
                                let (array, index) = element.split_once('[').unwrap_or_default();
                                let index = index.trim_end_matches(']').parse().unwrap_or_default();
                                format!(
                                    "{array}[{}]",
                                    rising(index, step.signum(), false, counter).trim_matches(['(', ')'])
                                )
                            }
                            None => {
                                let others = inner
                                    .keys()
                                    .filter(|other| other.trim_end_matches(|c: char| c.is_ascii_digit()) == stem)
                                    .count();
                                let more = if others == 0 { String::new() } else { (others + 1).to_string() };
                                inner.entry(name).or_insert_with(|| format!("{stem}{more}_of_{counter}")).clone()
                            }
                        }
                    }
                    (Piece::Variable(..), Series::Listed) => return false,
                };
            }
            block.push(line);
        }
        // Host memory that only one round uses is freed there: a program that keeps it would seem to leak.
        let freed = |name: &&String| {
            let is_made = |line: &String| line.trim_start().starts_with(&format!("{name} = buffer("));
            // Pending work may still use it.
            let is_pending = |line: &String| line.contains("Async(") && line.contains(name.as_str());
            block.iter().any(is_made) && !block.iter().any(is_pending)
        };
        let freed: Vec<_> = inner.values().filter(freed).map(|name| format!("    free({name});")).collect();
        block.extend(freed);
        let mut replaced = tables;
        replaced.push(format!("    for (size_t {counter} = 0; {counter} < {rounds}; {counter}++) {{"));
        // The variables of the other rounds.
        let mut gone: BTreeSet<_> = pieces[lines.clone()].iter().flatten().filter_map(Piece::name).collect();
        let round = |line: usize| (lines.contains(&line)).then(|| (line - start) / length);
        gone.retain(|name| used[name].windows(2).all(|pair| round(pair[0]) == round(pair[1])));
        gone.retain(|name| used[name].iter().all(|line| lines.contains(line)));
        for (of, name) in &self.variables {
            if let Some(own) = inner.get(bare(name)) {
                let gap = if of.ends_with('*') { "" } else { " " };
                replaced.push(format!("        {of}{gap}{own}{};", &name[bare(name).len()..]));
            }
        }
        replaced.extend(block.into_iter().map(|line| if line.is_empty() { line } else { format!("    {line}") }));
        replaced.push("    }".to_owned());
        self.variables.retain(|(_, name)| {
            let name = bare(name);
            !array_of.contains_key(name) && !gone.contains(name)
        });
        self.variables.splice(0..0, declared);
        self.lines.splice(lines.clone(), replaced.clone());
        self.name_elements(&(lines.start..lines.start + replaced.len()), &array_of);
        true
    }

    /// Writes the elements of arrays in place of the variables that they were, in all lines but those of the loop.
    fn name_elements(&mut self, of_loop: &Range<usize>, array_of: &BTreeMap<String, String>) {
        if array_of.is_empty() {
            return;
        }
        let names: BTreeSet<_> = array_of.keys().cloned().collect();
        let renamed = |piece: &Piece| piece.name().and_then(|name| array_of.get(&name)).cloned();
        for (_, line) in self.lines.iter_mut().enumerate().filter(|(place, _)| !of_loop.contains(place)) {
            *line = pieces(line, &names).iter().map(|piece| renamed(piece).unwrap_or_else(|| piece.text())).collect();
        }
    }
}

impl Run {
    /// Returns how many lines after the run still continue it.
    fn rest(self, shapes: &[usize]) -> usize {
        let end = self.start + self.length * self.rounds;
        (0..self.length)
            .take_while(|by| shapes.get(end + by).is_some_and(|shape| *shape == shapes[self.start + by]))
            .count()
    }
}

/// Returns the type of a variable, and its initial value: nothing for zero, which is that of an array.
fn type_of<'types>(
    types: &BTreeMap<&str, (&'types String, &'types String)>,
    name: &str,
) -> Option<(&'types str, &'types str)> {
    let (of, declared) = types.get(name)?;
    let initial = declared.split_once(" = ").map_or("", |(_, initial)| initial);
    Some((of, if matches!(initial, "0" | "NULL" | "{ { 0 } }") { "" } else { initial }))
}

/// Returns a variable's name without its length and its initial value.
pub(crate) fn bare(variable: &str) -> &str {
    variable.split([' ', '[']).next().unwrap_or_default()
}

/// Finds a run of equal blocks from a line on.
fn run(shapes: &[usize], start: usize, length: usize) -> Option<Run> {
    let equal = shapes[start..].iter().zip(&shapes[start + length..]).take_while(|(one, other)| one == other).count();
    let rounds = equal / length + 1;
    (rounds > 1).then_some(Run { start, length, rounds })
}

/// Whether a block closes the loops that it opens.
fn is_balanced(lines: &[String], run: Run, of_threads: bool) -> bool {
    let mut depth = 0_i32;
    for (place, line) in lines[run.start..run.start + run.length].iter().enumerate() {
        // Threads are rolled as whole blocks, in a pass of their own.
        if line.trim() == MARK && (place > 0 || !of_threads) {
            return false;
        }
        depth += i32::from(line.ends_with(") {")) - i32::from(line.trim() == "}");
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

fn series(rounds: &[&Piece]) -> Series {
    let numbers: Option<Vec<_>> = rounds.iter().map(|piece| piece.number().map(i128::from)).collect();
    let Some(numbers) = numbers else { return Series::Same };
    let step = numbers[1] - numbers[0];
    match numbers.windows(2).all(|pair| pair[1] - pair[0] == step) {
        true if step == 0 => Series::Same,
        true => Series::Rising(step),
        false => Series::Listed,
    }
}

/// Returns the arrays that a loop needs: the numbers of the variables by stem, step and remainder, for those that a line
/// outside the loop or another round uses.
fn arrays(
    pieces: &[Vec<Piece>],
    used: &BTreeMap<String, Vec<usize>>,
    run: Run,
) -> BTreeMap<(String, u64, u64), BTreeSet<u64>> {
    let Run { start, length, rounds } = run;
    let mut groups: BTreeMap<(String, u64, u64), BTreeSet<u64>> = BTreeMap::new();
    for offset in 0..length {
        for (place, piece) in pieces[start + offset].iter().enumerate() {
            let Piece::Variable(stem, first) = piece else { continue };
            let of_rounds: Vec<_> = (0..rounds).map(|round| &pieces[start + round * length + offset][place]).collect();
            let Series::Rising(step) = series(&of_rounds) else { continue };
            let Ok(step) = u64::try_from(step.unsigned_abs()) else { continue };
            let numbers = groups.entry((stem.clone(), step, first % step)).or_default();
            numbers.extend(of_rounds.iter().filter_map(|piece| piece.number()));
        }
    }
    // Whether lines of one round use a variable, and no others.
    let is_of_one_round = |name: &str| {
        let round = |line: &usize| (*line >= start).then(|| (line - start) / length);
        used[name].windows(2).all(|pair| round(&pair[0]) == round(&pair[1]))
            && used[name].iter().all(|line| (start..start + length * rounds).contains(line))
    };
    groups.retain(|(stem, ..), numbers| numbers.iter().any(|number| !is_of_one_round(&format!("{stem}{number}"))));
    groups
}

/// Writes a number that rises with each round.
fn rising(first: u64, step: i128, is_hexadecimal: bool, counter: &str) -> String {
    let literal = |number: u128| if is_hexadecimal { format!("{number:#x}") } else { number.to_string() };
    let times = |step: i128| match step.unsigned_abs() {
        1 => counter.to_owned(),
        step => format!("{} * {counter}", literal(step)),
    };
    match (first, step) {
        (0, 1) => counter.to_owned(),
        (0, 1..) => format!("({})", times(step)),
        (_, 0..) => format!("({} + {})", literal(first.into()), times(step)),
        (_, _) => format!("({} - {})", literal(first.into()), times(step)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Body, MARK};

    /// Rolls lines of which each round has some, with these variables.
    fn rolled(rounds: u64, round: impl Fn(u64) -> Vec<String>, after: &[&str], variables: &[&str]) -> Body {
        let mut lines: Vec<_> = (0..rounds).flat_map(round).map(|line| format!("    {line}")).collect();
        lines.extend(after.iter().map(|line| format!("    {line}")));
        let of =
            |stem: &&str| (1..=rounds).map(|number| ("int".to_owned(), format!("{stem}{number}"))).collect::<Vec<_>>();
        Body { variables: variables.iter().flat_map(of).collect(), lines }.rolled()
    }

    /// A variable of one round is declared in the loop, and a literal that rises follows the counter.
    #[test]
    fn equal_blocks_become_a_loop() {
        let round = |round| vec![format!("make(&a{}, {});", round + 1, 4 * round + 1), format!("end(a{});", round + 1)];
        let body = rolled(9, round, &[], &["a"]);
        let expected = [
            "    for (size_t round = 0; round < 9; round++) {",
            "        int a_of_round;",
            "        make(&a_of_round, (1 + 4 * round));",
            "        end(a_of_round);",
            "    }",
        ];
        assert_eq!(body.lines, expected, "the loop has another form");
        assert!(body.variables.is_empty(), "variables of rounds are left: {:?}", body.variables);
    }

    /// A loop keeps its variables in an array if lines after it use one of them.
    #[test]
    fn variables_that_are_used_later_become_an_array() {
        let body = rolled(8, |round| vec![format!("make(&a{});", round + 1)], &["end(a3);"], &["a"]);
        assert_eq!(
            body.lines[1..],
            ["        make(&as1[round]);", "    }", "    end(as1[2]);"],
            "the array is not used"
        );
        assert_eq!(body.variables, [("static int".to_owned(), "as1[8]".to_owned())], "the array is not declared");
    }

    /// The same holds for a loop that counts its variables backwards.
    #[test]
    fn variables_that_are_used_backwards_become_an_array() {
        let body = rolled(8, |round| vec![format!("end(a{});", 8 - round)], &["make(&a3);"], &["a"]);
        assert_eq!(
            body.lines[1..],
            ["        end(as1[7 - round]);", "    }", "    make(&as1[2]);"],
            "the array is not used"
        );
        assert_eq!(body.variables, [("static int".to_owned(), "as1[8]".to_owned())], "the array is not declared");
    }

    /// A few equal lines stay as they are.
    #[test]
    fn few_blocks_stay() {
        let body = rolled(7, |_| vec!["wait();".to_owned()], &[], &[]);
        assert_eq!(body.lines.len(), 7, "they became a loop");
    }

    /// Two threads are enough for a loop.
    #[test]
    fn threads_become_a_loop() {
        let body = rolled(2, |round| vec![MARK.to_owned(), format!("make(&a{});", round + 1)], &[], &["a"]);
        assert_eq!(body.lines.len(), 5, "the threads are {:?}", body.lines);
    }

    /// What each thread fills is an array of arrays, even if a later loop uses one element of it.
    #[test]
    fn threads_fill_arrays() {
        let thread = |number: u64| {
            let makes = (1..=8).map(move |place| format!("make(&a{});", 8 * number + place));
            std::iter::once(MARK.to_owned()).chain(makes).collect::<Vec<_>>()
        };
        let step = |number: u64, call: &str| [format!("/* step {number} */"), format!("{call}(a{});", 8 * number)];
        let ends: Vec<_> = (1..=9).flat_map(|number| step(number, "end")).chain(step(10, "end_last")).collect();
        let ends: Vec<_> = ends.iter().map(String::as_str).collect();
        let mut variables = Vec::new();
        let lines: Vec<_> = (0..10).flat_map(thread).map(|line| format!("    {line}")).collect();
        variables.extend((1..=80).map(|number| ("int".to_owned(), format!("a{number}"))));
        let lines = lines.into_iter().chain(ends.iter().map(|line| format!("    {line}"))).collect();
        let body = Body { variables, lines }.rolled();
        assert_eq!(body.variables, [("static int".to_owned(), "ass1[10][8]".to_owned())], "{:?}", body.lines);
        assert_eq!(body.lines.len(), 12, "expected one loop of threads and one loop of ends: {:?}", body.lines);
    }
}
