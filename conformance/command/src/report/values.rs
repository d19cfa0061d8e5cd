//! The values that calls returned, under the names that they have in the program.

/// What a value is. It decides where the value may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An address or an object of the driver.
    Object,
    /// A file descriptor.
    Descriptor,
    /// 64 bytes that another process opens.
    Handle,
    /// A number, such as a size or an attribute.
    Number,
    /// The code that a call returned.
    Code,
    /// A text, or a null pointer in place of one.
    Text,
    /// The id of a process.
    Process,
    /// What a process uses of the system. The number is that of its participant.
    Usage,
}

/// The type of a size that a case computed.
pub(crate) const COMPUTED: &str = "unsigned long";

/// A value with its name.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// The variable, or an expression such as `found1.location.id`.
    pub(crate) name: String,
    /// The variable's type.
    pub(crate) of: &'static str,
    /// The participant whose call returned it.
    pub(crate) owner: usize,
    pub(crate) kind: Kind,
    /// The value in the recorded run.
    pub(crate) number: u64,
    /// The bytes of a handle or of a text.
    pub(crate) bytes: Vec<u8>,
    /// The bytes that lie behind an address, if known.
    pub(crate) size: u64,
    /// Whether a call has given it back.
    pub(crate) is_released: bool,
    /// The participants that have it.
    pub(crate) holders: Vec<usize>,
}

impl Value {
    pub(crate) fn new(owner: usize, kind: Kind, of: &'static str, name: String, number: u64) -> Self {
        let holders = vec![owner];
        Self { name, of, owner, kind, number, bytes: Vec::new(), size: 0, is_released: false, holders }
    }
}

/// Whether a value is an address that a driver did not write.
fn is_unwritten(value: &Value, participant: usize) -> bool {
    value.of == "CUdeviceptr" && value.kind == Kind::Object && value.owner == participant && value.number == 0
}

/// All values so far, oldest first.
#[derive(Default)]
pub(crate) struct Values {
    all: Vec<Value>,
}

/// Where an address lies: in which value, and how far from its start.
pub(crate) type Placed = (usize, i64);

impl Values {
    pub(crate) fn add(&mut self, value: Value) -> usize {
        self.all.push(value);
        self.all.len() - 1
    }

    pub(crate) fn get(&self, place: usize) -> &Value {
        &self.all[place]
    }

    pub(crate) fn get_mut(&mut self, place: usize) -> &mut Value {
        &mut self.all[place]
    }

    /// Returns the places of the values that are equal to a number, oldest first.
    pub(crate) fn equal_to(&self, number: u64, is_wanted: impl Fn(&Value) -> bool) -> Vec<usize> {
        let is_it =
            |(_, value): &(usize, &Value)| value.kind != Kind::Handle && value.number == number && is_wanted(value);
        self.all.iter().enumerate().filter(is_it).map(|(place, _)| place).collect()
    }

    /// Returns an earlier value of the same participant and type with the same number, which has not been given back.
    pub(crate) fn same_as(&self, new: &Value) -> Option<&Value> {
        let is_it = |known: &&Value| {
            known.owner == new.owner && known.of == new.of && known.number == new.number && !known.is_released
        };
        self.all.iter().rfind(is_it)
    }

    /// Returns the places of the values that qualify, oldest first.
    pub(crate) fn all_that(&self, qualifies: impl Fn(&Value) -> bool) -> Vec<usize> {
        let qualifying = self.all.iter().enumerate().filter(|(_, value)| qualifies(value));
        qualifying.map(|(place, _)| place).collect()
    }

    /// Finds bytes in what processes have read. Returns the name of the first byte and its process; of several places, the
    /// newest.
    pub(crate) fn run_of(&self, bytes: &[u8]) -> Option<(String, usize)> {
        let buffer = |value: &Value| value.name.split_once('[').map(|(buffer, _)| buffer.to_owned());
        let is_it = |run: &&[Value]| {
            run[0].name.starts_with("read")
                && run.iter().zip(bytes).all(|(value, byte)| {
                    value.number == u64::from(*byte) && buffer(value).is_some() && buffer(value) == buffer(&run[0])
                })
        };
        let run = self.all.windows(bytes.len()).rfind(is_it)?;
        Some((run[0].name.clone(), run[0].owner))
    }

    /// Returns the newest text with this content.
    pub(crate) fn text(&self, content: &str) -> Option<usize> {
        self.all.iter().rposition(|value| value.kind == Kind::Text && value.bytes == content.as_bytes())
    }

    /// Returns the places of the handles with these bytes, oldest first.
    pub(crate) fn handles(&self, bytes: &[u8]) -> Vec<usize> {
        let is_it = |(_, value): &(usize, &Value)| value.kind == Kind::Handle && value.bytes == bytes;
        self.all.iter().enumerate().filter(is_it).map(|(place, _)| place).collect()
    }

    /// Returns the newest handle that differs in a few bits from these bytes, and the bits.
    pub(crate) fn similar_handle(&self, bytes: &[u8]) -> Option<(usize, Vec<usize>)> {
        const FEW: usize = 8;
        let differing = |value: &Value| -> Vec<usize> {
            (0..8 * bytes.len()).filter(|bit| (value.bytes[bit / 8] ^ bytes[bit / 8]) >> (bit % 8) & 1 == 1).collect()
        };
        let is_alike = |value: &Value| value.kind == Kind::Handle && value.bytes.len() == bytes.len();
        let handles = self.all.iter().enumerate().rev().filter(|(_, value)| is_alike(value));
        handles.map(|(place, value)| (place, differing(value))).find(|(_, bits)| bits.len() <= FEW)
    }

    /// Finds an address in memory whose address a driver did not write: it is still null, and with a sound driver it is not.
    pub(crate) fn unwritten(&self, participant: usize, address: u64) -> Option<Placed> {
        const FAR: u64 = 1 << 30;
        let is_it = |value: &Value| is_unwritten(value, participant) && !value.is_released;
        let place = self.all.iter().rposition(is_it).filter(|_| address < FAR)?;
        Some((place, address.cast_signed()))
    }

    /// Finds an address in a participant: exactly, inside something, or near it.
    pub(crate) fn place(&self, participant: usize, address: u64) -> Option<Placed> {
        self.place_besides(participant, address, None)
    }

    /// The same for an address that a value has, in another value than this one.
    pub(crate) fn place_besides(&self, participant: usize, address: u64, value: Option<usize>) -> Option<Placed> {
        /// How far from an allocation a case looks for its neighbours.
        const NEAR: u64 = 16 << 20;
        let own = || {
            let all = self.all.iter().enumerate().rev();
            all.filter(|(place, it)| {
                it.kind == Kind::Object && it.owner == participant && it.number != 0 && Some(*place) != value
            })
        };
        let equal = || own().filter(|(_, value)| value.number == address).map(|(place, _)| (place, 0));
        let exact = equal().find(|(place, _)| !self.all[*place].is_released).or_else(|| equal().next());
        let distance = |value: &Value| address.wrapping_sub(value.number).cast_signed();
        let addresses = || own().filter(|(_, value)| value.size > 0);
        let inside = || {
            let is_inside = |value: &Value| address >= value.number && address - value.number <= value.size;
            addresses().find(|(_, value)| is_inside(value)).map(|(place, value)| (place, distance(value)))
        };
        let near = || {
            let found = addresses().min_by_key(|(_, value)| distance(value).unsigned_abs())?;
            let apart = distance(found.1);
            (apart.unsigned_abs() <= found.1.size.saturating_add(NEAR)).then_some((found.0, apart))
        };
        exact.or_else(inside).or_else(near)
    }

    /// Returns the place from which on a number of values, apart from descriptors, are the newest ones.
    pub(crate) fn newest(&self, count: usize) -> usize {
        let others = self.all.iter().enumerate().rev().filter(|(_, value)| value.kind != Kind::Descriptor);
        others.take(count).last().map_or(0, |(place, _)| place)
    }

    /// Returns the oldest value of a participant with this address that has not been given back, and marks it so. A case
    /// that gets an address twice gives the first one back first.
    pub(crate) fn release(&mut self, participant: usize, address: u64) -> Option<&Value> {
        self.release_one(|value| value.kind == Kind::Object && value.owner == participant && value.number == address)
    }

    /// The same for an address that a driver did not write.
    pub(crate) fn release_unwritten(&mut self, participant: usize) -> Option<&Value> {
        self.release_one(|value| is_unwritten(value, participant))
    }

    /// The same for an object of another type, such as a pool.
    pub(crate) fn release_handle(&mut self, participant: usize, of: &str, handle: u64) -> Option<&Value> {
        self.release_one(|value| value.of == of && value.owner == participant && value.number == handle)
    }

    fn release_one(&mut self, is_it: impl Fn(&Value) -> bool) -> Option<&Value> {
        let value = self.all.iter_mut().find(|value| !value.is_released && is_it(value))?;
        value.is_released = true;
        Some(value)
    }

    /// Returns the size of the largest allocation.
    pub(crate) fn largest(&self) -> u64 {
        self.all.iter().map(|value| value.size).max().unwrap_or_default()
    }

    /// Returns the name of the newest descriptor.
    pub(crate) fn last_descriptor(&self) -> Option<String> {
        self.all.iter().rfind(|value| value.kind == Kind::Descriptor).map(|value| value.name.clone())
    }

    /// Returns the newest text.
    pub(crate) fn last_text(&self) -> Option<usize> {
        self.all.iter().rposition(|value| value.kind == Kind::Text)
    }

    /// Returns the newest number.
    pub(crate) fn last_number(&self) -> Option<usize> {
        self.all.iter().rposition(|value| value.kind == Kind::Number)
    }
}
