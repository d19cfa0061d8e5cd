//! A statement of the bindings that a C compiler can check.

/// The value of a C expression.
pub(crate) type Answer = i128;

/// One statement.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// The name that the statement is about: a type, a constant or a function.
    pub(crate) name: String,
    /// The name, with the member if the statement is about one.
    pub(crate) subject: String,
    /// The stated property: size, offset, value …
    pub(crate) what: &'static str,
    /// The C expression.
    pub(crate) expression: String,
    /// The value of the expression according to the bindings.
    pub(crate) expected: Answer,
    /// The names that headers must have for the probe to run. Members are not among them: if a member is missing, the
    /// compiler reports an error, unless exceptions.toml lists the member.
    pub(crate) needs: Vec<String>,
    /// For a function: the CUDA version of the bound signature.
    pub(crate) since: Option<u32>,
    /// For a function that older headers have by another name: the CUDA version that gave it its name.
    pub(crate) until: Option<u32>,
    /// Whether the expression uses the names that the library exports.
    pub(crate) exported: bool,
}

impl Probe {
    pub(crate) fn new(name: &str, what: &'static str, expression: String, expected: Answer) -> Self {
        let (name, subject) = (name.to_owned(), name.to_owned());
        let needs = vec![name.clone()];
        Self { name, subject, what, expression, expected, needs, since: None, until: None, exported: false }
    }

    /// Turns the statement into one about a member of the type.
    pub(crate) fn member(mut self, path: &str) -> Self {
        self.subject = format!("{}.{path}", self.name);
        self
    }

    /// Turns the statement into one about a function since a CUDA version, which needs the given names in the headers.
    pub(crate) fn function(mut self, needs: &[&str], since: u32) -> Self {
        self.needs = needs.iter().map(|&name| name.to_owned()).collect();
        self.since = Some(since);
        self
    }

    pub(crate) fn until(mut self, version: u32) -> Self {
        self.until = Some(version);
        self
    }

    pub(crate) fn exported(mut self) -> Self {
        self.exported = true;
        self
    }

    /// Returns a weaker statement: the member's offset lies within the given member of the headers.
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
            format!("{subject}: the {what} differs from the bindings; false in C: {expression}")
        } else {
            format!("{subject}: the {what} is {expected} in the bindings but {answer} in the headers")
        }
    }
}
