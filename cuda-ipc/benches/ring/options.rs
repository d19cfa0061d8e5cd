//! The options of the bench.

use std::error::Error;
use std::path::PathBuf;

use cuda_ipc::Driver;

use crate::arguments::{devices, list, positive, set_each, sizes};
use crate::{CONSUMER, PRODUCER, Plan};

/// A message is filled with numbers of this size.
const WORD: usize = size_of::<u32>();

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
        let lengths = if is_reference { "4K,64K,1M" } else { "4K,16K,64K,256K,1M,4M,16M,64M,256M" };
        let (volume, most_messages) = if is_reference { (16 << 20, 200) } else { (4 << 30, 2000) };
        let pairs = if driver.device_count()? > 1 { "0-0,0-1" } else { "0-0" };
        let mut options = Self {
            sizes: sizes(lengths, WORD)?,
            slots: 4,
            streams: vec![1, 2],
            rounds: 7,
            pairs: vec![1],
            devices: devices(pairs)?,
            json: None,
            volume,
            most_messages,
        };
        set_each(arguments, &[PRODUCER, CONSUMER], |option, value| options.set(option, value))?;
        Ok(options)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), Box<dyn Error>> {
        match option {
            "--sizes" => self.sizes = sizes(value, WORD)?,
            "--slots" => self.slots = positive(value)?,
            "--streams" => self.streams = list(value, positive)?,
            "--rounds" => self.rounds = positive(value)?,
            "--pairs" => self.pairs = list(value, positive)?,
            "--devices" => self.devices = devices(value)?,
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
