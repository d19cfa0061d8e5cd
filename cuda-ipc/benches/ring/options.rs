//! The options of the bench.

use std::error::Error;
use std::path::PathBuf;

use cuda_ipc::Driver;

use crate::{CONSUMER, PRODUCER, Plan};

pub(crate) struct Options {
    pub(crate) sizes: Vec<usize>,
    pub(crate) slots: usize,
    pub(crate) streams: Vec<usize>,
    pub(crate) rounds: usize,
    pub(crate) pairs: Vec<usize>,
    /// The devices of the producer and of the consumer.
    pub(crate) devices: Vec<(usize, usize)>,
    pub(crate) json: Option<PathBuf>,
    /// The bytes of a round, as far as the number of messages permits.
    volume: usize,
    most_messages: usize,
}

impl Options {
    pub(crate) fn parse(arguments: &[String], driver: Driver) -> Result<Self, Box<dyn Error>> {
        let is_reference = driver.path().to_string_lossy().contains("reference_driver");
        let sizes = if is_reference { "4K,64K,1M" } else { "4K,16K,64K,256K,1M,4M,16M,64M,256M" };
        let (volume, most_messages) = if is_reference { (16 << 20, 200) } else { (4 << 30, 2000) };
        let devices = if driver.device_count()? > 1 { "0-0,0-1" } else { "0-0" };
        let mut options = Self {
            sizes: list(sizes, bytes)?,
            slots: 4,
            streams: vec![1, 2],
            rounds: 7,
            pairs: vec![1],
            devices: list(devices, pair)?,
            json: None,
            volume,
            most_messages,
        };
        let mut arguments = arguments.iter();
        while let Some(option) = arguments.next() {
            // Cargo adds the first of these, and this program the others.
            if ["--bench", PRODUCER, CONSUMER].contains(&option.as_str()) {
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("{option}: unknown, or without a value"))?;
            options.set(option, value).map_err(|error| format!("{option} {value}: {error}"))?;
        }
        Ok(options)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), Box<dyn Error>> {
        match option {
            "--sizes" => self.sizes = list(value, bytes)?,
            "--slots" => self.slots = positive(value)?,
            "--streams" => self.streams = list(value, positive)?,
            "--rounds" => self.rounds = positive(value)?,
            "--pairs" => self.pairs = list(value, positive)?,
            "--devices" => self.devices = list(value, pair)?,
            "--json" => self.json = Some(value.into()),
            _ => return Err("unknown option".into()),
        }
        Ok(())
    }

    pub(crate) fn plans(&self) -> impl Iterator<Item = Plan> {
        self.sizes.iter().map(|size| {
            let messages = (self.volume / size).clamp(8 * self.slots, self.most_messages.max(8 * self.slots));
            Plan { size: *size, slots: self.slots, messages }
        })
    }
}

fn list<T>(values: &str, parse: fn(&str) -> Result<T, Box<dyn Error>>) -> Result<Vec<T>, Box<dyn Error>> {
    values.split(',').map(parse).collect()
}

fn positive(value: &str) -> Result<usize, Box<dyn Error>> {
    let number = value.parse()?;
    if number == 0 { Err("must be at least 1".into()) } else { Ok(number) }
}

fn bytes(value: &str) -> Result<usize, Box<dyn Error>> {
    let units = [('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)];
    let unit = units.iter().find_map(|(letter, unit)| Some((value.strip_suffix(*letter)?, *unit)));
    let (number, unit) = unit.unwrap_or((value, 1));
    let bytes = positive(number)?.checked_mul(unit).ok_or("too large")?;
    if bytes.is_multiple_of(4) { Ok(bytes) } else { Err("must be a multiple of 4 bytes".into()) }
}

fn pair(value: &str) -> Result<(usize, usize), Box<dyn Error>> {
    let (producer, consumer) = value.split_once('-').ok_or("expected two devices, such as 0-1")?;
    Ok((producer.parse()?, consumer.parse()?))
}
