//! The options of the program.

use std::error::Error;
use std::str::FromStr;

use cuda_ipc::ring::Placement;

/// What `--help` prints.
pub(crate) const USAGE: &str = "\
Sends messages from one process to another through a ring, and compares every word.

usage: stream [OPTION]...

  --slot-size BYTES    size of a slot and of a message, as a number with K, M or G (default 1M)
  --slots N            number of slots; with 1, each message waits for the release of the last (default 8)
  --messages N         number of messages (default 1000)
  --streams N          number of streams on each side (default 2)
  --placement SIDE     device that the slots are on: consumer or producer (default consumer)
  --order ORDER        by values that streams write, or by interprocess events (default values)
  --producer-device N  device of the producer (default 0)
  --consumer-device N  device of the consumer (default 0)
  --verify-every N     compare one message of every N; the others are only received (default 1)
  --json               print one JSON object instead of text
  --help               print this

exit code: 0 if all messages arrived, 1 if not, 2 for bad arguments
";

pub(crate) struct Options {
    /// A multiple of 4, because messages are words.
    pub(crate) slot_size: usize,
    pub(crate) slots: usize,
    pub(crate) messages: u64,
    pub(crate) streams: usize,
    pub(crate) placement: Placement,
    pub(crate) by_events: bool,
    pub(crate) producer_device: usize,
    pub(crate) consumer_device: usize,
    pub(crate) verify_every: u64,
    pub(crate) json: bool,
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            slot_size: 1 << 20,
            slots: 8,
            messages: 1000,
            streams: 2,
            placement: Placement::Consumer,
            by_events: false,
            producer_device: 0,
            consumer_device: 0,
            verify_every: 1,
            json: false,
        };
        let mut arguments = arguments.iter();
        while let Some(option) = arguments.next() {
            if option == "--json" {
                options.json = true;
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("{option}: unknown option, or its value is missing"))?;
            options.set(option, value).map_err(|error| format!("{option} {value}: {error}"))?;
        }
        Ok(options)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), Box<dyn Error>> {
        match option {
            "--slot-size" => self.slot_size = bytes(value)?,
            "--slots" => self.slots = positive(value)?,
            "--messages" => self.messages = positive(value)?,
            "--streams" => self.streams = positive(value)?,
            "--placement" => {
                self.placement = one_of(value, ("consumer", Placement::Consumer), ("producer", Placement::Producer))?
            }
            "--order" => self.by_events = one_of(value, ("values", false), ("events", true))?,
            "--producer-device" => self.producer_device = value.parse()?,
            "--consumer-device" => self.consumer_device = value.parse()?,
            "--verify-every" => self.verify_every = positive(value)?,
            _ => return Err("unknown option".into()),
        }
        Ok(())
    }

    pub(crate) const fn placement_name(&self) -> &'static str {
        match self.placement {
            Placement::Consumer => "consumer",
            Placement::Producer => "producer",
        }
    }

    pub(crate) const fn order_name(&self) -> &'static str {
        if self.by_events { "events" } else { "values" }
    }
}

fn positive<N: FromStr<Err: Error + 'static> + PartialEq + Default>(value: &str) -> Result<N, Box<dyn Error>> {
    let number = value.parse()?;
    if number == N::default() { Err("must be at least 1".into()) } else { Ok(number) }
}

fn bytes(value: &str) -> Result<usize, Box<dyn Error>> {
    let units = [('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)];
    let unit = units.iter().find_map(|(letter, unit)| Some((value.strip_suffix(*letter)?, *unit)));
    let (number, unit) = unit.unwrap_or((value, 1));
    let bytes = positive::<usize>(number)?.checked_mul(unit).ok_or("too large")?;
    if bytes.is_multiple_of(4) { Ok(bytes) } else { Err("must be a multiple of 4 bytes".into()) }
}

fn one_of<T>(value: &str, one: (&str, T), other: (&str, T)) -> Result<T, Box<dyn Error>> {
    match value {
        value if value == one.0 => Ok(one.1),
        value if value == other.0 => Ok(other.1),
        _ => Err(format!("expected {} or {}", one.0, other.0).into()),
    }
}
