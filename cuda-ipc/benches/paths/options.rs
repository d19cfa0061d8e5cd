//! The options of the bench.

use std::error::Error;
use std::path::PathBuf;

use cuda_ipc::Driver;

use crate::arguments::{devices, list, positive, set_each, sizes};

/// Every device's granularity of physical memory is a divisor of this.
const UNIT: usize = 2 << 20;

pub(crate) struct Options {
    /// The devices of the exporter and of the importer.
    pub(crate) devices: Vec<(usize, usize)>,
    pub(crate) sizes: Vec<usize>,
    pub(crate) counts: Vec<usize>,
    pub(crate) rounds: usize,
    pub(crate) json: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(arguments: &[String], driver: Driver) -> Result<Self, Box<dyn Error>> {
        let is_reference = driver.path().to_string_lossy().contains("reference_driver");
        let (lengths, counts, rounds) =
            if is_reference { ("2M", "1,10", 11) } else { ("2M,64M,1G", "1,10,100,1000", 101) };
        let pairs = if driver.device_count()? > 1 { "0-0,0-1" } else { "0-0" };
        let (devices, sizes, counts) = (devices(pairs)?, sizes(lengths, UNIT)?, list(counts, positive)?);
        let mut options = Self { devices, sizes, counts, rounds, json: None };
        set_each(arguments, &[], |option, value| options.set(option, value))?;
        Ok(options)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), Box<dyn Error>> {
        match option {
            "--devices" => self.devices = devices(value)?,
            "--sizes" => self.sizes = sizes(value, UNIT)?,
            "--counts" => self.counts = list(value, positive)?,
            "--rounds" => self.rounds = positive(value)?,
            "--json" => self.json = Some(value.into()),
            _ => return Err("unknown option".into()),
        }
        Ok(())
    }
}
