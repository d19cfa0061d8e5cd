//! The options of the bench.

use std::error::Error;
use std::path::PathBuf;

use crate::arguments::{devices, positive, set_each, sizes};

pub(crate) struct Options {
    /// The devices of the store and of the reader.
    pub(crate) devices: (usize, usize),
    pub(crate) sizes: Vec<usize>,
    pub(crate) rounds: usize,
    pub(crate) json: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, Box<dyn Error>> {
        let mut options = Self { devices: (0, 0), sizes: vec![2 << 20, 64 << 20, 1 << 30], rounds: 101, json: None };
        set_each(arguments, &[], |option, value| options.set(option, value))?;
        Ok(options)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), Box<dyn Error>> {
        match option {
            "--devices" => match *devices(value)? {
                [pair] => self.devices = pair,
                _ => return Err("expected one pair of devices".into()),
            },
            "--sizes" => self.sizes = sizes(value, 1)?,
            "--rounds" => self.rounds = positive(value)?,
            "--json" => self.json = Some(value.into()),
            _ => return Err("unknown option".into()),
        }
        Ok(())
    }
}
