//! The library exports exactly the functions of the tables, and `cuGetProcAddress` finds each from its version on.

mod common;

use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use common::{driver, library, runtime_library};
use cuda_ipc_sys::{
    CUdriverProcAddressQueryResult as Query, CUresult, CUuuid, CudaVersion, MissingSymbol, SYMBOLS, Symbol,
};
use object::elf::DT_SONAME;
use object::read::elf::{Dyn as _, ElfFile64};
use object::{Endianness, Object as _};
use reference_driver::UNSUPPORTED;

const SERVED: CudaVersion = CudaVersion(13000);

/// Calls `cuGetProcAddress` and returns the code, the address and the reason.
fn ask(name: &CStr, version: u32) -> (CUresult, *mut c_void, Query) {
    let mut address = ptr::dangling_mut();
    let mut reason = Query(u32::MAX);
    let ask = driver().functions().cuGetProcAddress.expect("every driver has it");
    // SAFETY: the name is a C string, the outputs are locals.
    let code = unsafe { ask(name.as_ptr(), &mut address, version.cast_signed(), 0, &mut reason) };
    (code, address, reason)
}

/// The functions that the library exports up to its CUDA version.
fn served() -> impl Iterator<Item = &'static Symbol> {
    exported().filter(|symbol| symbol.since <= SERVED)
}

/// The functions that the library exports for a CUDA version that is newer than this driver's.
fn newer() -> impl Iterator<Item = &'static Symbol> {
    exported().filter(|symbol| symbol.since > SERVED)
}

fn exported() -> impl Iterator<Item = &'static Symbol> {
    let exports = exports();
    SYMBOLS.iter().filter(move |symbol| exports.contains(&*symbol.exported.to_string_lossy()))
}

/// Whether the table has another version of a function among those up to a CUDA version.
fn has_another(symbol: &Symbol, versions: impl Fn(CudaVersion) -> bool) -> bool {
    SYMBOLS.iter().any(|other| other.name == symbol.name && other.since != symbol.since && versions(other.since))
}

#[test]
fn the_driver_serves_13_0() {
    assert_eq!(driver().version(), SERVED);
    assert!(newer().count() > 0, "the tables have no newer function, so the tests of missing functions test nothing");
}

/// The names that the library exports.
fn exports() -> BTreeSet<String> {
    exports_of(&library())
}

fn exports_of(library: &Path) -> BTreeSet<String> {
    let bytes = std::fs::read(library).unwrap_or_else(|error| panic!("{error}"));
    let file = object::File::parse(&*bytes).unwrap_or_else(|error| panic!("{error}"));
    let exports = file.exports().unwrap_or_else(|error| panic!("{error}"));
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    exports.iter().map(|export| text(export.name())).collect()
}

/// The functions that are exported and return CUDA_ERROR_NOT_SUPPORTED for any arguments, as a test in `contexts` sees.
#[test]
fn the_unsupported_functions_are_exported_and_each_has_a_reason() {
    let unsupported = list(include_str!("unsupported.txt"));
    assert_eq!(UNSUPPORTED.iter().map(|(name, _)| (*name).to_owned()).collect::<BTreeSet<_>>(), unsupported);
    assert_eq!(&unsupported - &exports(), BTreeSet::new());
    assert!(UNSUPPORTED.iter().all(|(_, reason)| !reason.is_empty()));
}

/// The README says in words what the three lists say in names.
#[test]
fn the_readme_names_each_list() {
    let readme = include_str!("../README.md");
    let (_, section) = readme.split_once("## What it does not serve").expect("the README has this section");
    let (section, _) = section.split_once("\n## ").expect("another section follows");
    for list in ["tests/exports.txt", "tests/unsupported.txt", "tests/missing.txt"] {
        assert!(section.contains(&format!("]({list})")), "the section does not link {list}");
    }
}

#[test]
fn every_listed_function_is_exported_and_nothing_else() {
    let expected: BTreeSet<_> = include_str!("exports.txt").lines().map(str::to_owned).collect();
    assert_eq!(&expected - &exports(), BTreeSet::new(), "missing exports");
    assert_eq!(&exports() - &expected, BTreeSet::new(), "exports that are not in exports.txt");
}

/// The names of a list in this folder. A list is sorted, and names nothing twice.
fn list(text: &str) -> BTreeSet<String> {
    let names: BTreeSet<_> = text.lines().map(str::to_owned).collect();
    assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), text.lines().collect::<Vec<_>>());
    names
}

/// The table of `cuda-ipc-sys` has every function of `cuda.h`. This driver exports one or lacks it, and nothing between.
#[test]
fn every_function_of_the_table_is_exported_or_listed_as_missing() {
    let missing = list(include_str!("missing.txt"));
    let table: BTreeSet<_> = SYMBOLS.iter().map(|symbol| symbol.exported.to_string_lossy().into_owned()).collect();
    assert_eq!(&table - &exports(), missing);
    for symbol in SYMBOLS.iter().filter(|symbol| missing.contains(&*symbol.exported.to_string_lossy())) {
        let is_known = served().any(|served| served.name == symbol.name && served.since <= symbol.since);
        let (code, address, reason) = ask(symbol.name, symbol.since.0.min(SERVED.0));
        // A function of an older signature is found under its name by those who ask for the older version.
        assert!(code != CUresult::CUDA_SUCCESS || address.is_null() || is_known, "{symbol:?}: {code:?}, {reason:?}");
    }
}

/// A program that links both libraries would otherwise find the runtime's functions in the driver.
#[test]
fn only_the_runtime_exports_the_functions_of_the_runtime() {
    let listed: BTreeSet<_> = include_str!("../runtime/names.txt").lines().map(str::to_owned).collect();
    assert_eq!(exports_of(&runtime_library()), listed);
    assert_eq!(&exports() & &listed, BTreeSet::new());
}

/// Programs link the libraries under these names.
#[test]
fn each_library_has_the_name_of_nvidias() {
    assert_eq!(soname(&library()), "libcuda.so.1");
    assert_eq!(soname(&runtime_library()), "libcudart.so.13");
}

fn soname(library: &Path) -> String {
    let bytes = std::fs::read(library).unwrap_or_else(|error| panic!("{error}"));
    let file = ElfFile64::<Endianness>::parse(&*bytes).unwrap_or_else(|error| panic!("{error}"));
    let endian = file.endian();
    let (dynamic, strings) = file.elf_section_table().dynamic(endian, &*bytes).ok().flatten().expect("it is dynamic");
    let strings = file.elf_section_table().strings(endian, &*bytes, strings).expect("it has names");
    let name = dynamic.iter().find(|entry| entry.tag32(endian) == Some(DT_SONAME)).expect("it has a SONAME");
    let name = strings.get(name.val32(endian).expect("an offset")).expect("it is in the table");
    String::from_utf8_lossy(name).into_owned()
}

#[test]
fn every_exported_function_is_in_the_tables() {
    let known = SYMBOLS.iter().map(|symbol| symbol.exported.to_string_lossy().into_owned()).collect();
    assert_eq!(&exports() - &known, BTreeSet::new());
}

#[test]
fn asking_by_version_gives_the_exported_function() {
    // SAFETY: loading runs the library's initialisers, and it has none.
    let library = unsafe { libloading::Library::new(library()) }.unwrap_or_else(|error| panic!("{error}"));
    for symbol in served() {
        let (code, address, reason) = ask(symbol.name, symbol.since.0);
        assert_eq!(code, CUresult::CUDA_SUCCESS, "{symbol:?}");
        assert_eq!(reason, Query::CU_GET_PROC_ADDRESS_SUCCESS, "{symbol:?}");
        // SAFETY: the symbol is taken as an address.
        let exported = unsafe { library.get::<*const c_void>(symbol.exported) }.expect("it is exported");
        // SAFETY: the library stays loaded while the address is compared.
        assert_eq!(Some(address), unsafe { exported.try_as_raw_ptr() }, "{symbol:?}");
    }
}

#[test]
fn the_newest_version_gives_the_same_function() {
    for symbol in served().filter(|symbol| !has_another(symbol, |other| other > symbol.since && other <= SERVED)) {
        assert_eq!(ask(symbol.name, SERVED.0), ask(symbol.name, symbol.since.0), "{symbol:?}");
    }
}

/// Functions whose later signature this driver does not implement, each with the version that introduced it.
const CHANGED: [(&CStr, u32); 3] =
    [(c"cuStreamGetCtx", 12050), (c"cuCtxGetDevice", 13000), (c"cuCtxSynchronize", 13000)];

/// The older function would misread the arguments of the newer signature.
#[test]
fn a_function_does_not_stand_in_for_its_later_signature() {
    for (name, since) in CHANGED {
        assert!(!ask(name, since - 1).1.is_null(), "{name:?}");
        for version in [since, SERVED.0] {
            let (code, address, reason) = ask(name, version);
            assert_eq!(code, CUresult::CUDA_SUCCESS, "{name:?} at {version}");
            assert_eq!(reason, Query::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, "{name:?} at {version}");
            assert!(address.is_null(), "{name:?} at {version}");
        }
    }
}

/// Names that are not base names of functions: among others, exported names and parts of base names.
const UNKNOWN: [&CStr; 5] = [c"cuNothing", c"cuMemAlloc_v2", c"cuMemAllo", c"cumemalloc", c""];

/// Returns symbols, each with a version before the one that introduced it.
fn too_early() -> impl Iterator<Item = (&'static CStr, u32)> {
    let oldest = served().filter(|symbol| !has_another(symbol, |other| other < symbol.since));
    oldest.map(|symbol| (symbol.name, symbol.since.0 - 1))
}

#[test]
fn what_is_not_found_has_no_address_and_a_reason() {
    for (name, version) in too_early() {
        let (_, address, reason) = ask(name, version);
        assert_eq!(reason, Query::CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, "{name:?} at {version}");
        assert!(address.is_null(), "{name:?} at {version}");
    }
    for name in UNKNOWN {
        let (_, address, reason) = ask(name, SERVED.0);
        assert_eq!(reason, Query::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, "{name:?}");
        assert!(address.is_null(), "{name:?}");
    }
    for symbol in newer() {
        assert!(ask(symbol.name, SERVED.0).1.is_null(), "{symbol:?}");
    }
}

/// The codes are those of the CUDA 13.0 documentation and of an H200.
#[test]
fn what_is_not_found_is_a_success_and_a_version_from_the_future_an_error() {
    for (name, version) in too_early().chain(UNKNOWN.map(|name| (name, SERVED.0))) {
        assert_eq!(ask(name, version).0, CUresult::CUDA_SUCCESS, "{name:?} at {version}");
    }
    for symbol in served() {
        assert_eq!(ask(symbol.name, SERVED.0 + 10).0, CUresult::CUDA_ERROR_INVALID_VALUE, "{symbol:?}");
    }
    for symbol in newer() {
        assert_eq!(ask(symbol.name, symbol.since.0).0, CUresult::CUDA_ERROR_INVALID_VALUE, "{symbol:?}");
    }
}

/// The codes are those of the CUDA 11.8 documentation, for the signature without a reason, and of an H200.
#[test]
fn what_is_not_found_is_an_error_for_who_asks_as_before_cuda_12() {
    type Ask = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64) -> CUresult;
    // SAFETY: as above.
    let library = unsafe { libloading::Library::new(library()) }.unwrap_or_else(|error| panic!("{error}"));
    // SAFETY: this is the signature of the exported name.
    let older = unsafe { library.get::<Ask>(c"cuGetProcAddress") }.expect("it is exported");
    let older = |name: &CStr, version: u32| {
        let mut address = ptr::dangling_mut();
        // SAFETY: the name is a C string, the output a local.
        let code = unsafe { older(name.as_ptr(), &mut address, version.cast_signed(), 0) };
        (code, address)
    };
    for symbol in served() {
        let (_, address, _) = ask(symbol.name, symbol.since.0);
        assert_eq!(older(symbol.name, symbol.since.0), (CUresult::CUDA_SUCCESS, address), "{symbol:?}");
    }
    for (name, version) in too_early().chain(UNKNOWN.map(|name| (name, SERVED.0))) {
        assert_eq!(older(name, version).0, CUresult::CUDA_ERROR_NOT_FOUND, "{name:?} at {version}");
    }
}

#[test]
fn the_table_holds_what_the_driver_serves_and_nothing_newer() {
    let served: BTreeSet<_> = served().map(|symbol| (symbol.name, symbol.since)).collect();
    for (symbol, &found) in SYMBOLS.iter().zip(driver().addresses()) {
        let is_served = served.contains(&(symbol.name, symbol.since));
        let expected = if is_served { ask(symbol.name, symbol.since.0).1 } else { ptr::null() };
        assert_eq!(found, expected, "{symbol:?}");
        assert_eq!(found.is_null(), !is_served, "{symbol:?}");
    }
}

#[test]
fn a_call_that_is_missing_names_both_versions() {
    // SAFETY: the driver does not have the functions, so nothing is called.
    let missing = unsafe {
        [
            driver().cuDeviceGetFabricClusterUuid(ptr::null_mut(), 0).unwrap_err(),
            driver().cuDeviceGetCliqueCount(ptr::null_mut(), 0).unwrap_err(),
            driver().cuDeviceGetCliqueInfo(ptr::null_mut(), ptr::null_mut(), 0).unwrap_err(),
        ]
    };
    let newer: Vec<_> = newer().map(|symbol| symbol.name).collect();
    assert!(missing.iter().all(|missing| newer.contains(&missing.name)), "{newer:?}");
    for missing @ MissingSymbol { name, needs, found, .. } in missing {
        assert_eq!((needs, found), (CudaVersion(13040), SERVED));
        let message = missing.to_string();
        for part in [name.to_str().expect("ASCII"), "13.4", "13.0"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

/// Tables that a libcudart of NVIDIA asks for, and one that nobody has.
const TABLES: [[u8; 16]; 3] = [
    [0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9],
    [0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec, 0xdc],
    *b"no such table!!\0",
];

/// The code is that of an H200 for an unknown table. The output stays as it was, like that of any call that fails: a
/// caller that looks only at the pointer finds what it put there.
#[test]
fn a_table_that_is_missing_leaves_its_output_untouched() {
    // SAFETY: the call has no arguments that it could misuse.
    let code = unsafe { driver().cuInit(0) }.expect("every driver has it");
    assert_eq!(code, CUresult::CUDA_SUCCESS);
    for table in TABLES {
        let id = CUuuid { bytes: table.map(u8::cast_signed) };
        for before in [ptr::null(), ptr::dangling::<c_void>(), ptr::without_provenance(0xa5a5_a5a5)] {
            let mut found = before;
            // SAFETY: the output and the identifier are locals.
            let code = unsafe { driver().cuGetExportTable(&mut found, &id) }.expect("it is exported");
            assert_eq!((code, found), (CUresult::CUDA_ERROR_INVALID_VALUE, before), "{table:02x?}");
        }
    }
}
