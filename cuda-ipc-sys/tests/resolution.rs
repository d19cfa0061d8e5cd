//! Each function is looked up at the version whose signature is bound, whatever other versions the driver has.

mod stand_in;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt::Write as _;
use std::ptr;

use cuda_ipc_sys::{CUresult, CudaVersion, Driver, SYMBOLS};
use stand_in::{StandIn, library};

/// The versions of each base name in cudaTypedefs.h, as written by cuda-ipc-sys-abi-check.
const TYPEDEFS: &str = include_str!("typedefs.txt");

/// A version newer than every header, at which each function has yet another signature.
const FUTURE: u32 = 99_000;

/// Returns the versions of each function, with FUTURE as the last.
fn versions() -> BTreeMap<&'static str, Vec<u32>> {
    let lines = TYPEDEFS.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &'static str| {
        let mut words = line.split(' ');
        let name = words.next().expect("a name");
        let versions = words.map(|word| word.parse().expect("a version")).chain([FUTURE]).collect();
        (name, versions)
    };
    lines.map(read).collect()
}

/// Builds a driver of CUDA `version` that has each function at each of its versions up to that one. Each of these
/// functions returns its own version.
fn driver(version: u32, entry: &str, last_parameter: &str) -> StandIn {
    let mut source = String::from("#include <string.h>\n");
    let mut entries = String::new();
    for (name, versions) in versions() {
        for since in versions.into_iter().filter(|since| *since <= version) {
            writeln!(source, "int {name}_at_{since}(void) {{ return {since}; }}").expect("a string");
            writeln!(entries, "{{\"{name}\", {since}, {name}_at_{since}}},").expect("a string");
        }
    }
    write!(
        source,
        "static const struct {{ const char *name; int since; int (*function)(void); }} entries[] = {{{entries}}};
        int cuDriverGetVersion(int *version) {{ *version = {version}; return 0; }}
        int {entry}(const char *name, void **function, int version, unsigned long long flags{last_parameter}) {{
            *function = 0;
            for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++)
                if (!strcmp(entries[i].name, name) && entries[i].since <= version)
                    *function = (void *) entries[i].function;
            return *function ? 0 : 500;
        }}"
    )
    .expect("a string");
    library(&source)
}

/// Returns the address of a function of the stand-in.
fn address(driver: &StandIn, name: &str, version: CudaVersion) -> *const c_void {
    // SAFETY: the test has already loaded the library, which has no initialisers.
    let library = unsafe { libloading::Library::new(&driver.path) }.expect("the stand-in is loaded");
    // SAFETY: only the address of the symbol is used; it stays valid because the driver keeps the library loaded.
    let symbol = unsafe { library.get::<*const c_void>(format!("{name}_at_{}", version.0)) };
    // SAFETY: as above.
    symbol
        .ok()
        .and_then(|symbol| unsafe { symbol.try_as_raw_ptr() })
        .map_or(ptr::null(), |address| address.cast_const())
}

#[test]
fn every_function_is_that_of_its_bindings_version() {
    let entries = [("cuGetProcAddress_v2", ", int *status"), ("cuGetProcAddress", "")];
    for (entry, last_parameter) in entries {
        let library = driver(FUTURE, entry, last_parameter);
        // SAFETY: the library comes from these tests.
        let driver = unsafe { Driver::load_from(&library.path) }.expect("this is a driver");
        for (symbol, &found) in SYMBOLS.iter().zip(driver.addresses()) {
            let name = symbol.name.to_str().expect("ASCII");
            let expected = address(&library, name, symbol.since);
            assert!(!expected.is_null(), "cudaTypedefs.h has no {name} of CUDA {}", symbol.since);
            assert_eq!(found, expected, "the address of {name} is not that of CUDA {}", symbol.since);
        }
        assert_eq!(driver.missing_symbols().count(), 0);
    }
}

#[test]
fn an_older_driver_lacks_what_came_later_and_nothing_else() {
    for (version, entry, last_parameter) in [
        (11_040, "cuGetProcAddress", ""),
        (11_080, "cuGetProcAddress", ""),
        (12_040, "cuGetProcAddress_v2", ", int *status"),
    ] {
        let library = driver(version, entry, last_parameter);
        // SAFETY: the library comes from these tests.
        let driver = unsafe { Driver::load_from(&library.path) }.expect("this is a driver");
        let newer = SYMBOLS.iter().filter(|symbol| symbol.since.0 > version).map(|symbol| symbol.name);
        let missing: Vec<_> = driver.missing_symbols().collect();
        assert_eq!(missing.iter().map(|missing| missing.name).collect::<Vec<_>>(), newer.collect::<Vec<_>>());
        for missing in missing {
            assert!(missing.to_string().ends_with("install a newer driver"), "{missing}");
        }
    }
}

/// For functions whose signature changed under the same name, a call reaches the bound version.
#[test]
fn a_signature_that_changed_later_is_never_called() {
    let library = driver(FUTURE, "cuGetProcAddress_v2", ", int *status");
    // SAFETY: the library comes from these tests.
    let driver = unsafe { Driver::load_from(&library.path) }.expect("this is a driver");
    let since = |name: &str| {
        let symbol = SYMBOLS.iter().find(|symbol| symbol.name.to_str() == Ok(name)).expect("a function of the table");
        let versions = &versions()[name];
        assert!(versions.iter().any(|version| *version > symbol.since.0 && *version < FUTURE), "{name} did not change");
        Ok(CUresult(symbol.since.0))
    };
    // SAFETY: the stand-in uses none of its arguments.
    unsafe {
        assert_eq!(driver.cuCtxGetDevice(ptr::null_mut()), since("cuCtxGetDevice"));
        assert_eq!(driver.cuCtxSynchronize(), since("cuCtxSynchronize"));
        assert_eq!(driver.cuCtxCreate(ptr::null_mut(), 0, 0), since("cuCtxCreate"));
        assert_eq!(driver.cuMulticastBindMem(0, 0, 0, 0, 0, 0), since("cuMulticastBindMem"));
        assert_eq!(driver.cuMulticastBindAddr(0, 0, 0, 0, 0), since("cuMulticastBindAddr"));
    }
}
