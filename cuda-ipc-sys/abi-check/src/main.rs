//! Checks the bindings of cuda-ipc-sys against every header set of the generator's headers.toml.
//!
//! rustc asserts each size, alignment and offset that `bindings.rs` states. This program asks the C compiler for the
//! same numbers and for the value of each constant. It also asks whether each field, alias and function has the type
//! that the Rust code states. One set of bindings is correct for all releases only if all of them agree.
//! `exceptions.toml` lists where releases differ, and `additions.toml` lists the names that each set added.

mod bindings;
mod c;
mod exceptions;
mod probe;
mod runtime;
mod typedefs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bindings::Bindings;
use clap::Parser;
use cuda_ipc_sys_generator::headers::{self, HeaderSet};
use cuda_ipc_sys_generator::{Declarations, Interface};
use exceptions::Exceptions;
use probe::{Answer, Probe};

/// Checks the bindings of cuda-ipc-sys against the headers and the runtimes of every supported CUDA release.
#[derive(Parser)]
struct Options {
    /// The folder of the header sets, where pip puts missing ones; without it, a temporary folder
    #[arg(long)]
    headers: Option<PathBuf>,
    /// Write additions.toml and tests/typedefs.txt instead of comparing with them
    #[arg(long)]
    write: bool,
}

/// The names that each set added, by version.
type Additions = BTreeMap<String, BTreeSet<String>>;

fn main() -> Result<()> {
    let options = Options::parse();
    let temporary = tempfile::tempdir()?;
    let folder = options.headers.as_deref().unwrap_or_else(|| temporary.path());
    let sets = headers::sets()?;
    let newest = headers::newest()?;
    newest.fetch(folder)?;
    let bindings = Bindings::read(Declarations::read(&newest.include(folder))?)?;
    let mut exceptions = Exceptions::read(&sets)?;
    let mut disagreements = Vec::new();
    let mut present = Vec::new();
    let mut declarations = Vec::new();
    let mut changed = BTreeMap::new();
    for set in &sets {
        set.fetch(folder)?;
        let (names, found) = compare(set, &set.include(folder), &bindings, &mut exceptions)?;
        disagreements.extend(found.into_iter().map(|text| format!("CUDA {}: {text}", set.version)));
        present.push(names);
        let compared = runtime::compare(set, &set.lib(folder))?;
        disagreements.extend(compared.disagreements);
        changed.extend(compared.changed);
        declarations.push((set, Declarations::read(&set.include(folder))?));
    }
    disagreements.extend(functions(&declarations)?);
    let [_, interface] = Interface::all()?;
    disagreements.extend(runtime::compare_changed(&interface, &changed));
    disagreements.extend(exceptions.wrong());
    disagreements.extend(readme(&sets, include_str!("../../README.md")));
    let additions = additions(&sets, &present)?;
    let typedefs = typedefs::read(&Declarations::read(&newest.include(folder))?)?;
    if options.write {
        typedefs.write()?;
        std::fs::write(additions_path(), format!("{ADDITIONS_HEADER}{}", toml::to_string_pretty(&additions)?))?;
    } else {
        disagreements.extend(unexpected(&additions)?);
        disagreements.extend(typedefs.compare()?);
    }
    for disagreement in &disagreements {
        eprintln!("{disagreement}");
    }
    if !disagreements.is_empty() {
        bail!("{} disagreements between the bindings and the headers", disagreements.len());
    }
    Ok(())
}

/// Compares the bindings with one set. Returns the names that the set has, and the disagreements.
fn compare(
    set: &HeaderSet,
    include: &Path,
    bindings: &Bindings,
    exceptions: &mut Exceptions,
) -> Result<(BTreeSet<String>, Vec<String>)> {
    let (version, is_newest) = (set.cuda_version()?, set.version == headers::newest()?.version);
    let headers = c::Headers::read(include, bindings).with_context(|| format!("CUDA {}", set.version))?;
    let probes = bindings.probes.iter().filter(|probe| probe.until.is_none_or(|until| version < until));
    let adapted: Vec<_> = probes.filter_map(|probe| exceptions.adapt(probe, set)).collect();
    let (here, absent): (Vec<&Probe>, Vec<&Probe>) = adapted.iter().partition(|probe| {
        // Older runtimes have some functions with another signature.
        probe.since.is_none_or(|since| since <= version) && probe.needs.iter().all(|name| headers.declare(name))
    });
    let answers = headers.ask(&here).with_context(|| format!("CUDA {}", set.version))?;
    exceptions.examine(set, |probes| {
        // A function that these headers should have and do not declare is a difference. So is a member that they lack,
        // but not a type.
        let (declared, absent): (Vec<_>, Vec<_>) =
            probes.iter().partition(|probe| probe.needs.iter().all(|name| headers.declare(name)));
        let is_late = |probe: &&Probe| probe.since.is_some_and(|since| since <= version);
        Ok(!absent.iter().any(is_late) && headers.hold(&declared)?)
    })?;
    let mut disagreements = Vec::new();
    for (probe, answer) in here.iter().zip(answers) {
        if answer != probe.expected && !exceptions.excuse(probe, answer, set) {
            disagreements.push(probe.disagreement(answer));
        }
    }
    for probe in &absent {
        if let Some(since) = probe.since
            && since <= version
        {
            disagreements.push(format!("{} came with CUDA {since}, but the headers do not declare it", probe.subject));
        }
    }
    if is_newest && let Some(probe) = absent.first() {
        disagreements.push(format!("{} is not in the headers that the bindings were generated from", probe.subject));
    }
    println!(
        "CUDA {}: {} statements hold, {} are about names of later releases",
        set.version,
        here.len() - disagreements.len(),
        absent.len()
    );
    let members = here.iter().filter(|probe| probe.what == "offset").map(|probe| probe.subject.clone());
    Ok((here.iter().map(|probe| probe.name.clone()).chain(members).collect(), disagreements))
}

/// Returns what the README says wrongly about the releases that the bindings are compared with.
fn readme(sets: &[HeaderSet], text: &str) -> Option<String> {
    let releases: Vec<_> = sets.iter().filter_map(|set| Some(set.version.rsplit_once('.')?.0)).collect();
    let (last, others) = releases.split_last()?;
    let expected = format!("the headers of CUDA {} and {last}.", others.join(", "));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.contains(&expected)).then(|| format!("README.md does not say: {expected}"))
}

/// Returns the functions of the sets that are neither bound nor in unbound.toml, and the entries of unbound.toml about
/// functions that no set declares.
fn functions(sets: &[(&HeaderSet, Declarations)]) -> Result<Vec<String>> {
    let mut disagreements = Vec::new();
    for interface in Interface::all()? {
        for (set, declarations) in sets {
            let unknown = interface.unknown(declarations);
            let text = |name: &String| format!("CUDA {}: {name} is neither bound nor in unbound.toml", set.version);
            disagreements.extend(unknown.iter().map(text));
        }
        let all: Vec<_> = sets.iter().map(|(_, declarations)| declarations).collect();
        let text = |name: String| format!("unbound.toml lists {name}, which no set declares or which is bound");
        disagreements.extend(interface.unneeded(&all).into_iter().map(text));
    }
    Ok(disagreements)
}

const ADDITIONS_HEADER: &str = "\
# The names of the bindings that each header set added, and the members that it added to older types. All other names
# are in the oldest set.
# Written by `cargo run -p cuda-ipc-sys-abi-check -- --write`.

";

fn additions_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../generator/additions.toml")
}

fn additions(sets: &[HeaderSet], present: &[BTreeSet<String>]) -> Result<Additions> {
    let mut additions = Additions::new();
    for (index, pair) in present.windows(2).enumerate() {
        if let Some(lost) = pair[0].difference(&pair[1]).next() {
            bail!("the headers of CUDA {} no longer declare {lost}", sets[index + 1].version);
        }
        let added: BTreeSet<_> = pair[1].difference(&pair[0]).cloned().collect();
        // The members of a new type are as new as the type.
        let is_new_itself = |name: &&String| name.split_once('.').is_none_or(|(owner, _)| !added.contains(owner));
        additions.insert(sets[index + 1].version.clone(), added.iter().filter(is_new_itself).cloned().collect());
    }
    Ok(additions)
}

fn unexpected(found: &Additions) -> Result<Vec<String>> {
    let path = additions_path();
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let known: Additions = toml::from_str(&text).context("cannot parse additions.toml")?;
    let pairs = |additions: &Additions| -> BTreeSet<(String, String)> {
        let of = |(set, names): (&String, &BTreeSet<String>)| {
            names.iter().map(|name| (set.clone(), name.clone())).collect::<Vec<_>>()
        };
        additions.iter().flat_map(of).collect()
    };
    let (found, known) = (pairs(found), pairs(&known));
    let new = found
        .difference(&known)
        .map(|(set, name)| format!("additions.toml lacks {name} of CUDA {set}: run with --write"));
    let gone = known
        .difference(&found)
        .map(|(set, name)| format!("additions.toml wrongly lists {name} for CUDA {set}: run with --write"));
    Ok(new.chain(gone).collect())
}

/// The answer of a probe whose statement holds.
const HOLDS: Answer = 1;
