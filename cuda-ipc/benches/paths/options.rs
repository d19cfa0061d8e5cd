//! The options of the bench.

use std::error::Error;
use std::path::PathBuf;

use cuda_ipc::Driver;

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
        let (sizes, counts, rounds) =
            if is_reference { ("2M", "1,10", 11) } else { ("2M,64M,1G", "1,10,100,1000", 101) };
        let devices = if driver.device_count()? > 1 { "0-0,0-1" } else { "0-0" };
        let (devices, sizes, counts) = (list(devices, pair)?, list(sizes, bytes)?, list(counts, positive)?);
        let mut options = Self { devices, sizes, counts, rounds, json: None };
        let mut arguments = arguments.iter();
        while let Some(option) = arguments.next() {
            // Cargo adds it.
            if option == "--bench" {
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("{option}: unknown, or without a value"))?;
            options.set(option, value).map_err(|error| format!("{option} {value}: {error}"))?;
        }
        Ok(options)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), Box<dyn Error>> {
        match option {
            "--devices" => self.devices = list(value, pair)?,
            "--sizes" => self.sizes = list(value, bytes)?,
            "--counts" => self.counts = list(value, positive)?,
            "--rounds" => self.rounds = positive(value)?,
            "--json" => self.json = Some(value.into()),
            _ => return Err("unknown option".into()),
        }
        Ok(())
    }
}

fn list<T>(values: &str, parse: fn(&str) -> Result<T, Box<dyn Error>>) -> Result<Vec<T>, Box<dyn Error>> {
    values.split(',').map(parse).collect()
}

fn positive(value: &str) -> Result<usize, Box<dyn Error>> {
    let number = value.parse()?;
    if number == 0 { Err("must be at least 1".into()) } else { Ok(number) }
}

/// Parses a size of physical memory, of which every device's granularity is a divisor.
fn bytes(value: &str) -> Result<usize, Box<dyn Error>> {
    let units = [('M', 1 << 20), ('G', 1 << 30)];
    let unit = units.iter().find_map(|(letter, unit)| Some((value.strip_suffix(*letter)?, *unit)));
    let (number, unit) = unit.ok_or("expected a size such as 2M or 1G")?;
    let bytes = positive(number)?.checked_mul(unit).ok_or("too large")?;
    if bytes.is_multiple_of(2 << 20) { Ok(bytes) } else { Err("must be a multiple of 2M".into()) }
}

fn pair(value: &str) -> Result<(usize, usize), Box<dyn Error>> {
    let (exporter, importer) = value.split_once('-').ok_or("expected two devices, such as 0-1")?;
    Ok((exporter.parse()?, importer.parse()?))
}
