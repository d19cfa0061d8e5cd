//! `conformance diff` tells what differs between two machines and runs, and nothing that one report hides.

use std::collections::BTreeMap;

use conformance::machine::Link;
use conformance::report::{Environment, Host, Suite};
use conformance::{Outcome, check};
use rstest::rstest;
use serde_json::json;

use crate::command::plain;
use crate::diff::compared;

/// A difference of the machine is named by its path in the report. A value that one report does not contain is not a
/// difference.
#[rstest]
#[conformance::test()]
fn the_environment_is_compared() -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 1), plain("580.159.04", 1));
    new.run.driver.sha256 = Some("cd".repeat(32));
    new.run.driver.path = "/opt/libcuda.so.1".to_owned();
    new.run.devices[0].uuid = "5a".repeat(16);
    new.run.devices[1].memory = 1;
    let link = |access| vec![Link { from: 0, to: 1, access, ..Link::default() }];
    (old.run.links, new.run.links) = (link(true), link(false));
    (old.run.seed, old.run.began) = (1, None);
    (old.run.fresh, new.run.fresh) = (true, false);
    new.run.suite = Some(Suite { version: "9".to_owned(), commit: None });
    let variables = |value: &str| BTreeMap::from([("CUDA_CACHE_DISABLE".to_owned(), value.to_owned())]);
    let around = |host| Some(Environment { host: Some(host), ..Environment::default() });
    old.run.environment = around(Host { user: 1, ..Host::default() });
    new.run.environment = around(Host { user: 1, variables: variables("1"), ..Host::default() });
    let (diff, code) = compared(&old, &new)?;
    let settings = diff["environment"].as_array().into_iter().flatten();
    let names: Vec<_> = settings.filter_map(|setting| setting["name"].as_str()).collect();
    let expected = [
        "driver.path",
        "driver.sha256",
        "driver.version",
        "devices[0].uuid",
        "devices[1].memory",
        "links[0].access",
        "environment.variables.CUDA_CACHE_DISABLE",
        "fresh",
    ];
    check!(names == expected, "{names:?}");
    check!(diff["changes"] == json!([]) && code == Some(0), "{diff:#}");
    old.run.links.clear();
    let (diff, _) = compared(&old, &new)?;
    check!(!diff["environment"].to_string().contains("links"), "{diff:#}");
    Ok(())
}

/// What a run without `--identify` hides is no difference. Another path is one, even if its last part is the same.
#[rstest]
#[case::value("…", "/opt/suite", true)]
#[case::home("~/driver/libcuda.so.1", "/home/me/driver/libcuda.so.1", true)]
#[case::other_file("~/driver/libcuda.so.1", "/home/me/driver/libcuda.so.2", false)]
#[case::other_folder("cache", "/opt/cache", false)]
#[case::shown("1", "0", false)]
#[case::ids("GPU-…,MIG-…", "GPU-5a1e0000-0000-4000-8000-000000000000,MIG-77c00000-0000-4000-8000-000000000000", true)]
#[case::other_devices("GPU-…,MIG-…", "GPU-5a1e0000-0000-4000-8000-000000000000", false)]
#[conformance::test()]
fn what_is_hidden_is_no_difference(#[case] old: &str, #[case] new: &str, #[case] is_same: bool) -> Outcome {
    let around = |value: &str| {
        let mut report = plain("580.159.04", 1);
        let variables = BTreeMap::from([("CUDA_CACHE_PATH".to_owned(), value.to_owned())]);
        let host = Some(Host { variables, ..Host::default() });
        report.run.environment = Some(Environment { host, ..Environment::default() });
        report
    };
    for (old, new) in [(old, new), (new, old)] {
        let (diff, _) = compared(&around(old), &around(new))?;
        check!((diff["environment"] == json!([])) == is_same, "{diff:#}");
    }
    Ok(())
}

/// An MPS daemon is a difference even if its folder is hidden: the usual folder never is.
#[rstest]
#[case::another_folder(Some("…"), Some("/run/mps"), true)]
#[case::no_daemon(None, Some("…"), false)]
#[case::the_usual_folder(Some("/tmp/nvidia-mps"), Some("…"), false)]
#[conformance::test()]
fn a_hidden_daemon_is_a_difference(
    #[case] old: Option<&str>,
    #[case] new: Option<&str>,
    #[case] is_same: bool,
) -> Outcome {
    let around = |mps: Option<&str>| {
        let mut report = plain("580.159.04", 1);
        report.run.environment = Some(Environment { mps: mps.map(str::to_owned), ..Environment::default() });
        report
    };
    for (old, new) in [(old, new), (new, old)] {
        let (diff, _) = compared(&around(old), &around(new))?;
        check!((diff["environment"] == json!([])) == is_same, "{diff:#}");
    }
    Ok(())
}
