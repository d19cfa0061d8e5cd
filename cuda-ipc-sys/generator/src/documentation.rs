//! Reads two facts on each function from the headers' comments: the codes that it may return, and its manual page.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};

/// The documented facts of one function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Documentation {
    /// The codes that the comment lists as returned, except the one for success.
    pub(crate) errors: Vec<String>,
    /// The function's group in the reference manual.
    group: String,
}

impl Documentation {
    /// Returns the address of the function's page in the reference manual.
    pub(crate) fn page(&self) -> String {
        let manual = if self.group.starts_with("CUDART") { "cuda-runtime-api" } else { "cuda-driver-api" };
        format!("https://docs.nvidia.com/cuda/{manual}/group__{}.html", self.group.replace('_', "__"))
    }
}

/// Returns the facts on every function that the headers declare, by name.
pub(crate) fn read(include: &Path) -> Result<HashMap<String, Documentation>> {
    let mut found = HashMap::new();
    for header in ["cuda.h", "cuda_runtime_api.h"] {
        let path = include.join(header);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        read_header(&text, &mut found);
    }
    Ok(found)
}

fn read_header(text: &str, found: &mut HashMap<String, Documentation>) {
    // After `#define cuX cuX_v2` or `#define cuX cuXWithFlags`, a declaration of the first name declares the second.
    let defines = text.lines().filter_map(|line| line.trim_start().strip_prefix("#define "));
    let renamed: HashMap<_, _> = defines.filter_map(|line| line.split_once(' ')).collect();
    let mut group = String::new();
    let mut rest = text;
    while let Some((_, comment_onward)) = rest.split_once("/**") {
        let Some((comment, code)) = comment_onward.split_once("*/") else { break };
        rest = code;
        // A group can be opened again.
        for opening in ["\\defgroup ", "\\addtogroup "] {
            if let Some((_, name)) = comment.split_once(opening) {
                group = name.split_whitespace().next().unwrap_or_default().to_owned();
            }
        }
        let declaration = code.split("/**").next().and_then(|code| code.split(';').next()).unwrap_or_default();
        if let Some(name) = declared(declaration)
            && comment.contains("\\brief")
        {
            let facts = Documentation { errors: returned(comment), group: group.clone() };
            if let Some(name) = renamed.get(name) {
                found.insert(name.trim().to_owned(), facts.clone());
            }
            found.insert(name.to_owned(), facts);
        }
    }
}

/// Returns the function that `CUresult CUDAAPI cuX(…` or `cudaError_t CUDARTAPI cudaX(…` declares.
fn declared(declaration: &str) -> Option<&str> {
    let after = ["CUDAAPI", "CUDARTAPI"].iter().find_map(|word| Some(declaration.split_once(word)?.1))?;
    Some(after.split_once('(')?.0.trim())
}

/// Returns the codes in the paragraph that begins with `\return` or `\returns`.
fn returned(comment: &str) -> Vec<String> {
    let Some((_, paragraph)) = comment.split_once("\\return") else { return Vec::new() };
    let end = ["\\note", "\\sa", "\\param", "\\par", "\\ref", "\\deprecated", "\n *\n", "\n * \n"]
        .iter()
        .filter_map(|end| paragraph.find(end))
        .min()
        .unwrap_or(paragraph.len());
    let mut codes = Vec::new();
    for word in paragraph[..end].split(|letter: char| !(letter.is_alphanumeric() || letter == '_')) {
        let is_code = word.starts_with("CUDA_ERROR_") || word.starts_with("cudaError") && word != "cudaError_t";
        if is_code && !codes.iter().any(|code| code == word) {
            codes.push(word.to_owned());
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "\
/** \\defgroup CUDA_MEM Memory */
#define cuAlloc cuAlloc_v2
/**
 * \\brief Allocates
 *
 * \\return
 * ::CUDA_SUCCESS, ::CUDA_ERROR_INVALID_VALUE,
 * ::CUDA_ERROR_OUT_OF_MEMORY, ::CUDA_ERROR_INVALID_VALUE
 * \\note_callback ::CUDA_ERROR_NOT_PERMITTED
 */
CUresult CUDAAPI cuAlloc(size_t bytes);
/** no summary */
CUresult CUDAAPI cuHidden(void);
/** \\addtogroup CUDART_EVENT */
/**
 * \\brief Waits
 * \\returns ::cudaSuccess, ::cudaErrorNotReady
 *
 * A paragraph that names ::cudaErrorUnknown and cudaError_t.
 */
extern __host__ cudaError_t CUDARTAPI cudaWait(void);
";

    #[test]
    fn the_codes_and_the_page_of_a_function_are_read() {
        let mut found = HashMap::new();
        read_header(HEADER, &mut found);
        let facts = |name: &str| (found[name].errors.clone(), found[name].page());
        let page = |of: &str, group: &str| format!("https://docs.nvidia.com/cuda/cuda-{of}-api/group__{group}.html");
        let of_driver = ["CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_OUT_OF_MEMORY"].map(str::to_owned).to_vec();
        for name in ["cuAlloc", "cuAlloc_v2"] {
            assert_eq!(facts(name), (of_driver.clone(), page("driver", "CUDA__MEM")));
        }
        assert_eq!(facts("cudaWait"), (vec!["cudaErrorNotReady".to_owned()], page("runtime", "CUDART__EVENT")));
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
