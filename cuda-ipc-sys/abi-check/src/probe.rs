//! A statement of the bindings that a C compiler can confirm.

/// What a C expression comes to.
pub(crate) type Answer = i128;

/// One statement.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// The name of the bindings that it is about: a type, a constant, a function.
    pub(crate) name: String,
    /// The name, with the member.
    pub(crate) subject: String,
    /// What is stated: size, offset, value …
    pub(crate) what: &'static str,
    /// The C expression.
    pub(crate) expression: String,
    /// What the bindings say that it comes to.
    pub(crate) expected: Answer,
    /// The names that headers must have for this to be asked. A type without one of its members is asked about all the
    /// same: where a member is missing, the compiler says so, and exceptions.toml has to.
    pub(crate) needs: Vec<String>,
    /// For a function: the CUDA version that has it.
    pub(crate) since: Option<u32>,
    /// Whether it is about the names that the library exports.
    pub(crate) exported: bool,
}

impl Probe {
    pub(crate) fn new(name: &str, what: &'static str, expression: String, expected: Answer) -> Self {
        let (name, subject) = (name.to_owned(), name.to_owned());
        let needs = vec![name.clone()];
        Self { name, subject, what, expression, expected, needs, since: None, exported: false }
    }

    /// About a member of the type.
    pub(crate) fn member(mut self, path: &str) -> Self {
        self.subject = format!("{}.{path}", self.name);
        self
    }

    /// About a function of some version, by another name that the headers have.
    pub(crate) fn function(mut self, needs: &[&str], since: u32) -> Self {
        self.needs = needs.iter().map(|&name| name.to_owned()).collect();
        self.since = Some(since);
        self
    }

    pub(crate) fn exported(mut self) -> Self {
        self.exported = true;
        self
    }

    /// Instead of where a member lies: whether that place is in another member.
    pub(crate) fn lies_in(&self, other: &str) -> Self {
        let (name, offset) = (&self.name, self.expected);
        let start = format!("__builtin_offsetof({name}, {other})");
        let expression = format!("{start} <= {offset} && {offset} < {start} + sizeof((({name}*)0)->{other})");
        let mut probe = Self::new(name, "place", expression, crate::HOLDS);
        probe.subject.clone_from(&self.subject);
        probe
    }

    pub(crate) fn disagreement(&self, answer: Answer) -> String {
        let Self { subject, what, expression, expected, .. } = self;
        if *expected == crate::HOLDS && answer == 0 {
            format!("{subject}: the {what} is another; not so: {expression}")
        } else {
            format!("{subject}: the {what} is {expected} in the bindings and {answer} in the headers")
        }
    }
}
