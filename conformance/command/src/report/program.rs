//! A C program while it is written: the lines of each process, and what the processes hand to each other.

use std::collections::{BTreeMap, BTreeSet};

use super::roll::{Body, bare};
use super::thread_function;
use super::values::{Kind, Value, Values};

/// The parent of the processes, which is the first participant.
pub(crate) const PARENT: usize = 0;

/// A line of a participant.
enum Line {
    Text(String),
    /// This participant gives the turn to another one, with the values of the handover.
    Over(usize),
    /// This participant gets the turn.
    Turn(usize),
    Give {
        to: usize,
        value: usize,
    },
    Take {
        from: usize,
        value: usize,
    },
}

/// A change of turns.
struct Handover {
    from: usize,
    to: usize,
    values: Vec<usize>,
}

/// A descriptor that a process can get.
pub(crate) struct Sent {
    /// Its target, as the kernel names it.
    pub(crate) target: String,
    pub(crate) write_only: bool,
    pub(crate) value: usize,
    /// Whether the runner has closed it.
    pub(crate) is_closed: bool,
}

/// The lines of a program. Only one participant acts at a time, in the order of the recorded run.
pub(crate) struct Program {
    /// The names of the participants in C, in capitals.
    pub(crate) participants: Vec<String>,
    lines: Vec<Vec<Line>>,
    handovers: Vec<Handover>,
    acting: usize,
    pub(crate) values: Values,
    /// Where the step that is being written read memory of a device into: its address in the recorded run, and the buffer.
    pub(crate) read: Option<(u64, String)>,
    /// Whether the recorded run failed.
    pub(crate) has_failed: bool,
    /// The driver functions that the program calls, by their names in source code.
    pub(crate) functions: BTreeSet<String>,
    /// The kernels that it launches.
    pub(crate) kernels: BTreeSet<String>,
    /// The helpers that it uses, by the names of their parts in the template.
    pub(crate) helpers: BTreeSet<&'static str>,
    /// The variables of each participant: type and name.
    variables: Vec<Vec<(String, String)>>,
    /// How many names have each stem.
    numbered: BTreeMap<String, usize>,
    /// The descriptors that processes sent to the runner, and those that the program makes itself.
    pub(crate) sent: Vec<Sent>,
    /// The device of each participant.
    pub(crate) devices: Vec<i32>,
    /// Pairs of participants: the first becomes the second when its process replaces its program.
    pub(crate) becomes: Vec<(usize, usize)>,
    /// How often the program waits for a step that a process has begun.
    pub(crate) waits: usize,
    /// How many steps the program has.
    pub(crate) steps: usize,
    /// How many conditions the program checks, apart from the results of calls.
    pub(crate) checks: usize,
}

impl Program {
    pub(crate) fn new(roles: impl Iterator<Item = String>) -> Self {
        let mut participants = vec!["PARENT".to_owned()];
        participants.extend(roles);
        let count = participants.len();
        Self {
            participants,
            lines: (0..count).map(|_| Vec::new()).collect(),
            handovers: Vec::new(),
            acting: PARENT,
            values: Values::default(),
            read: None,
            has_failed: false,
            functions: BTreeSet::new(),
            kernels: BTreeSet::new(),
            helpers: BTreeSet::new(),
            variables: vec![Vec::new(); count],
            numbered: BTreeMap::new(),
            sent: Vec::new(),
            devices: vec![0; count],
            becomes: Vec::new(),
            waits: 0,
            steps: 0,
            checks: 0,
        }
    }

    /// Whether a participant is the new program of a process. It shares no memory with the parent.
    pub(crate) fn is_new(&self, participant: usize) -> bool {
        self.becomes.iter().any(|(_, after)| *after == participant)
    }

    /// Lets a participant act from here on.
    pub(crate) fn turn(&mut self, to: usize) {
        if self.acting == to {
            return;
        }
        let place = self.handovers.len();
        self.handovers.push(Handover { from: self.acting, to, values: Vec::new() });
        self.lines[self.acting].push(Line::Over(place));
        self.lines[to].push(Line::Turn(place));
        self.acting = to;
    }

    /// Adds a line to a participant that acts, or that has been let go on.
    pub(crate) fn line(&mut self, participant: usize, text: impl Into<String>) {
        self.lines[participant].push(Line::Text(text.into()));
    }

    /// Returns how many lines a participant has.
    pub(crate) fn line_count(&self, participant: usize) -> usize {
        self.lines[participant].len()
    }

    /// Makes a participant repeat its lines from one on until a condition holds. What the lines only prepare, it does once.
    pub(crate) fn repeat_until(&mut self, participant: usize, first: usize, condition: &str) {
        let is_repeated = |line: &Line| matches!(line, Line::Text(text) if !text.contains(" = buffer("));
        let lines = self.lines[participant].split_off(first);
        let (repeated, before): (Vec<_>, Vec<_>) = lines.into_iter().partition(is_repeated);
        self.lines[participant].extend(before);
        self.line(
            participant,
            "/* again and again, for three seconds */\nfor (int tries = 0; tries < 3000; tries++) {",
        );
        for line in repeated {
            let Line::Text(text) = line else { continue };
            self.line(participant, format!("    {}", text.replace('\n', "\n    ")));
        }
        self.line(participant, format!("    if ({condition})\n        break;"));
        self.line(participant, "    nanosleep(&(struct timespec){ 0, 1000000 }, NULL);\n}");
    }

    /// Returns a new name: `pointer3`.
    pub(crate) fn name(&mut self, stem: &str) -> String {
        let number = self.numbered.entry(stem.to_owned()).or_default();
        *number += 1;
        format!("{stem}{number}")
    }

    pub(crate) fn declare(&mut self, participant: usize, of: &str, name: &str) {
        let variable = (of.to_owned(), name.to_owned());
        if !self.variables[participant].contains(&variable) {
            self.variables[participant].push(variable);
        }
    }

    pub(crate) fn declare_as(&mut self, participant: usize, of: &str, name: &str, initial: &str) {
        self.variables[participant].push((of.to_owned(), format!("{name} = {initial}")));
    }

    /// Declares a variable of a participant with a new name, and makes its value known. Returns the name and the value.
    pub(crate) fn variable(
        &mut self,
        participant: usize,
        kind: Kind,
        of: &'static str,
        stem: &str,
        number: u64,
    ) -> (String, usize) {
        let name = self.name(stem);
        self.declare(participant, of, &name);
        let value = self.values.add(Value::new(participant, kind, of, name.clone(), number));
        (name, value)
    }

    /// Returns the expression of a value in a participant. Brings the value there if another participant has it.
    pub(crate) fn bring(&mut self, place: usize, to: usize) -> String {
        let value = self.values.get(place).clone();
        if !value.holders.contains(&to) && value.name.contains('[') {
            self.name_element(place);
            return self.bring(place, to);
        }
        if !value.holders.contains(&to) {
            self.values.get_mut(place).holders.push(to);
            self.declare(to, value.of, &value.name);
            self.carry(place, value.owner, to);
        }
        value.name
    }

    /// Copies an element of a buffer into a variable, which can travel.
    fn name_element(&mut self, place: usize) {
        let Value { name, owner, of, .. } = self.values.get(place).clone();
        let copy = self.name("byte");
        self.declare(owner, of, &copy);
        let last = self.lines[owner].iter().rposition(|line| matches!(line, Line::Over(_)));
        let last = last.unwrap_or(self.lines[owner].len());
        self.lines[owner].insert(last, Line::Text(format!("{copy} = {name};")));
        self.values.get_mut(place).name = copy;
    }

    fn carry(&mut self, value: usize, from: usize, to: usize) {
        let last = self.lines[from].iter().rposition(|line| matches!(line, Line::Over(_)));
        let Some(last) = last else { return };
        let Line::Over(handover) = self.lines[from][last] else { return };
        if self.handovers[handover].to == to {
            self.handovers[handover].values.push(value);
        } else {
            // Before the turn is given on: afterwards, the process may be killed.
            self.lines[from].insert(last, Line::Give { to, value });
            self.lines[to].push(Line::Take { from, value });
        }
    }

    /// Returns the functions of a participant's threads, and the body of its own function.
    pub(crate) fn body(&self, participant: usize) -> (String, String) {
        let mut body = self.acts(participant);
        let mut variables = Vec::new();
        let uses = uses(&body);
        for (of, name) in &self.variables[participant] {
            if !uses.contains(bare(name)) {
                body = unassigned(&body, name);
            } else {
                variables.push((of.clone(), name.clone()));
            }
        }
        let lines = body.trim_end().lines().map(str::to_owned).collect();
        let mut rolled = Body { variables, lines }.rolled();
        let functions = thread_function::functions(&mut rolled, &self.participants[participant].to_lowercase());
        let Body { variables, lines } = rolled;
        let declared = variables.iter().map(|(of, name)| {
            let gap = if of.ends_with('*') { "" } else { " " };
            format!("    {of}{gap}{name};\n")
        });
        let gap = if variables.is_empty() { "" } else { "\n" };
        (functions, format!("{}{gap}{}\n", declared.collect::<String>(), lines.join("\n")))
    }

    /// Returns what a participant does, in lines of C.
    fn acts(&self, participant: usize) -> String {
        let mut body = String::new();
        let name = |other: usize| &self.participants[other];
        for line in &self.lines[participant] {
            match line {
                Line::Text(text) if text.is_empty() => body.push('\n'),
                Line::Text(text) => body += &format!("    {}\n", text.replace('\n', "\n    ")),
                Line::Give { to, value } => body += &self.transfer("give", *to, *value),
                Line::Take { from, value } => body += &self.transfer("take", *from, *value),
                Line::Over(place) => {
                    let Handover { to, values, .. } = &self.handovers[*place];
                    values.iter().for_each(|value| body += &self.transfer("give", *to, *value));
                    if values.is_empty() {
                        body += &format!("    go_on({});\n", name(*to));
                    }
                    body.push('\n');
                }
                Line::Turn(place) => {
                    let Handover { from, values, .. } = &self.handovers[*place];
                    values.iter().for_each(|value| body += &self.transfer("take", *from, *value));
                    if values.is_empty() {
                        body += &format!("    wait_for({});\n", name(*from));
                    }
                }
            }
        }
        body
    }

    fn transfer(&self, verb: &str, other: usize, value: usize) -> String {
        let value = self.values.get(value);
        let other = &self.participants[other];
        if value.kind == Kind::Descriptor {
            return match verb {
                "give" => format!("    give_descriptor({other}, {});\n", value.name),
                _ => format!("    {} = take_descriptor({other});\n", value.name),
            };
        }
        format!("    {verb}({other}, &{0}, sizeof {0});\n", value.name)
    }

    /// Whether the processes hand descriptors to each other.
    pub(crate) fn hands_descriptors(&self) -> bool {
        (0..self.participants.len()).any(|participant| self.acts(participant).contains("give_descriptor("))
    }
}

/// Returns the words that a body has anywhere but at the beginning of an assignment.
fn uses(body: &str) -> BTreeSet<String> {
    let used = body.lines().map(|line| {
        let (assigned, value) = line.split_once(" = ").unwrap_or(("", line));
        let is_name = assigned.trim_start().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_name { value } else { line }
    });
    let words = used.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    words.map(str::to_owned).collect()
}

/// Returns a body without the assignments to a variable that nothing uses. What they call remains.
fn unassigned(body: &str, variable: &str) -> String {
    let assigned = format!("    {variable} = ");
    let line = |line: &str| match line.strip_prefix(&assigned) {
        Some(call) if call.starts_with(|c: char| c.is_ascii_alphabetic()) && call.ends_with(");") => {
            format!("    {call}\n")
        }
        Some(_) => String::new(),
        None => format!("{line}\n"),
    };
    body.lines().map(line).collect()
}
