//! The sources of a rule for readers who do not have the catalogue: `H13` and `R13` become the names of headers,
//! `PG-IPC` becomes that of the guide, and each known source gets its address.

/// Explains the abbreviations, in tables.
const CATALOGUE: &str = include_str!("../../requirements/README.md");
const DRIVER_API: &str = "https://docs.nvidia.com/cuda/cuda-driver-api/";
const RUNTIME_API: &str = "https://docs.nvidia.com/cuda/cuda-runtime-api/";

/// Returns a source in full: `cuda.h of CUDA 13.0 cuMemAlloc, https://…` for `H13 cuMemAlloc`.
pub(crate) fn in_full(source: &str) -> String {
    let mut address = None;
    let words: Vec<_> = source
        .split(' ')
        .map(|word| match header(word) {
            Some((name, of)) => {
                address.get_or_insert(of);
                name
            }
            None => guide(word).unwrap_or_else(|| word.to_owned()),
        })
        .collect();
    let text = words.join(" ");
    if source.contains("https://") {
        return text;
    }
    match address.map(str::to_owned).or_else(|| address_of(source)) {
        Some(address) => format!("{text}, {address}"),
        None => text,
    }
}

/// Returns the header that a word stands for, and where its text is: `H12.4` is `cuda.h`, `R13+` is `cuda_runtime_api.h`.
fn header(word: &str) -> Option<(String, &'static str)> {
    let version = word.trim_end_matches([',', ';', ')', '+']);
    let after = &word[version.len()..];
    let (file, address, version) = match version.split_at_checked(1)? {
        ("H", version) => ("cuda.h", DRIVER_API, version),
        ("R", version) => ("cuda_runtime_api.h", RUNTIME_API, version),
        _ => return None,
    };
    let is_version = !version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.');
    let minor = if version.contains('.') { "" } else { ".0" };
    let after = after.replace('+', " and later");
    is_version.then(|| (format!("{file} of CUDA {version}{minor}{after}"), address))
}

/// Returns the guide that a word stands for: `PG-IPC` is its chapter on inter-process communication.
fn guide(word: &str) -> Option<String> {
    let chapter = word.trim_end_matches([',', ';', ')']);
    let after = &word[chapter.len()..];
    Some(format!("CUDA programming guide ({}){after}", chapter.strip_prefix("PG-")?))
}

/// Returns the address of the source whose name a text begins with: a document, a repository, or a thread such as `rmm#1029`.
fn address_of(source: &str) -> Option<String> {
    let cells = CATALOGUE.lines().filter(|line| line.starts_with('|')).flat_map(|line| {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        cells.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>()
    });
    let begins = |name: &str| {
        let rest = source.strip_prefix(name)?;
        (rest.is_empty() || rest.starts_with([' ', '#', ','])).then_some(rest)
    };
    cells.filter_map(|(name, told)| find(begins(name)?, told)).next()
}

/// Returns the address of a thread of a repository, or else the first address in what a table tells.
fn find(rest: &str, told: &str) -> Option<String> {
    let is_repository = told.split('/').count() == 2 && !told.contains([' ', ':']);
    if is_repository {
        let number = rest.strip_prefix('#').or_else(|| rest.strip_prefix(" PR"))?;
        let number: String = number.chars().take_while(char::is_ascii_digit).collect();
        return Some(format!("https://github.com/{told}/issues/{number}"));
    }
    // `NCCL#360` is a thread, and the table of documents knows only the repository.
    if rest.starts_with('#') {
        return None;
    }
    let start = told.find("https://")?;
    let address = told[start..].split([')', ' ', ';', ',']).next()?;
    Some(address.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::in_full;

    #[rstest]
    #[case::header("H13 cuMemAlloc", "cuda.h of CUDA 13.0 cuMemAlloc, https://docs.nvidia.com/cuda/cuda-driver-api/")]
    #[case::later(
        "H12.5+ cuCtxDestroy",
        "cuda.h of CUDA 12.5 and later cuCtxDestroy, https://docs.nvidia.com/cuda/cuda-driver-api/"
    )]
    #[case::runtime("R13", "cuda_runtime_api.h of CUDA 13.0, https://docs.nvidia.com/cuda/cuda-runtime-api/")]
    #[case::within(
        "derived from H13 \"unique handle\"",
        "derived from cuda.h of CUDA 13.0 \"unique handle\", https://docs.nvidia.com/cuda/cuda-driver-api/"
    )]
    #[case::guide(
        "PG-IPC",
        "CUDA programming guide (IPC), \
         https://docs.nvidia.com/cuda/cuda-programming-guide/04-special-topics/inter-process-communication.html"
    )]
    #[case::code("HIPT Open_In_Creating_Process", "HIPT Open_In_Creating_Process, https://github.com/ROCm/hip-tests")]
    #[case::thread("rmm#1029", "rmm#1029, https://github.com/rapidsai/rmm/issues/1029")]
    #[case::thread_of_a_known_repository(
        "NCCL#360 (reports PID checks)",
        "NCCL#360 (reports PID checks), https://github.com/NVIDIA/nccl/issues/360"
    )]
    #[case::has_its_address(
        "UCX PR11603 https://github.com/openucx/ucx/pull/11603",
        "UCX PR11603 https://github.com/openucx/ucx/pull/11603"
    )]
    #[case::no_source("not documented", "not documented")]
    fn a_source_says_where_it_is(#[case] source: &str, #[case] full: &str) {
        assert_eq!(in_full(source), full);
    }
}
