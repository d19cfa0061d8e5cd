//! `show`, `html` and `junit` show what `--identify` collects: the machine, and the messages of its kernel.

use conformance::report::{Board, Identification, Report};
use conformance::{Outcome, Stop, check};
use rstest::rstest;
use serde_json::{Value, json};

use crate::command::{Reports, plain, text};
use crate::suite::harness;

const XID: &str = "Xid (PCI:0000:18:00): 79, GPU <0> has fallen off the bus.";
const ID: &str = "ipcmem::open::planted/number=00001";

/// Returns a report of a named machine with three passed cases. During one of them, the kernel wrote a message.
fn identified() -> Report {
    let mut report = plain("580.159.04", 3);
    report.cases[1].xids.push(XID.to_owned());
    let board = Board {
        bus: "00000000:18:00.0".to_owned(),
        uuid: "GPU-5a1e".to_owned(),
        vbios: "96.00.99.00.01".to_owned(),
        fabric: "Completed".to_owned(),
    };
    report.run.identification = Some(Identification {
        host: "node7".to_owned(),
        image: Some("registry/image:1".to_owned()),
        boards: vec![board],
    });
    report
}

fn printed(report: &Report, arguments: &[&str]) -> Result<String, Stop> {
    let output = Reports::new(report, report)?.run(arguments)?;
    check!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    Ok(text(&output.stdout))
}

/// `show` begins with the messages of the kernel, also if their cases passed, and names the machine.
#[rstest]
#[conformance::test()]
fn show_names_the_machine() -> Outcome {
    let shown = printed(&identified(), &["show", "old"])?;
    check!(shown.starts_with(&format!("kernel: {ID}: {XID}\nNVIDIA 580.159.04")), "{shown}");
    check!(shown.contains("\nhost: node7\nimage: registry/image:1\n"), "{shown}");
    check!(
        shown.contains("\nGPU 00000000:18:00.0: UUID GPU-5a1e, VBIOS 96.00.99.00.01, fabric Completed\n"),
        "{shown}"
    );
    let json: Value =
        serde_json::from_str(&printed(&identified(), &["show", "old", "--format", "json"])?).map_err(harness)?;
    check!(json["xids"] == json!([{ "case": ID, "text": XID }]), "{json:#}");
    check!(json["run"]["identification"]["host"] == "node7", "{json:#}");
    Ok(())
}

/// The page has a box for the messages of the kernel at its top, and names the machine in its section.
#[rstest]
#[conformance::test()]
fn the_page_names_the_machine() -> Outcome {
    let page = printed(&identified(), &["html", "old"])?;
    let order = [
        "<section class=\"xids\"",
        "GPU &#60;0&#62; has fallen off the bus.",
        "<ul class=\"counts\">",
        "<strong>Kernel:</strong> Xid (PCI:0000:18:00): 79, GPU &#60;0&#62;",
        "<h2 id=\"machine\">",
        "<dt>host</dt><dd>node7</dd>",
        "<dt>image</dt><dd>registry/image:1</dd>",
        "<dt>GPU 00000000:18:00.0</dt><dd>UUID GPU-5a1e, VBIOS 96.00.99.00.01, fabric Completed</dd>",
    ];
    let places: Vec<_> = order.iter().map(|part| page.find(part)).collect();
    check!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    Ok(())
}

/// JUnit has the machine as properties, and each message of the kernel in the test suite and in the output of its case.
#[rstest]
#[conformance::test()]
fn junit_names_the_machine() -> Outcome {
    let xml = printed(&identified(), &["junit", "old"])?;
    let escaped = XID.replace('<', "&lt;").replace('>', "&gt;");
    for property in [
        ("host", "node7".to_owned()),
        ("image", "registry/image:1".to_owned()),
        ("GPU 00000000:18:00.0", "UUID GPU-5a1e, VBIOS 96.00.99.00.01, fabric Completed".to_owned()),
        ("xid", format!("{ID}: {escaped}")),
    ] {
        let (name, value) = &property;
        check!(xml.contains(&format!("<property name=\"{name}\" value=\"{value}\"/>")), "no {property:?}: {xml}");
    }
    let output = xml.split_once("<system-out>").map(|(_, output)| output).unwrap_or_default();
    check!(output.contains(&format!("kernel: {escaped}")), "{xml}");
    Ok(())
}

/// A report without a machine has no line, box or property about it.
#[rstest]
#[case::show("show", &["kernel:", "host:"])]
#[case::html("html", &["class=\"xids\"", "<dt>host</dt>", "<dt>image</dt>"])]
#[case::junit("junit", &["\"host\"", "\"image\"", "\"xid\""])]
#[conformance::test()]
fn a_report_without_a_machine_names_none(#[case] subcommand: &str, #[case] words: &[&str]) -> Outcome {
    let shown = printed(&plain("580.159.04", 3), &[subcommand, "old"])?;
    let told = words.iter().find(|word| shown.contains(**word));
    check!(told.is_none(), "{told:?} is in {shown}");
    Ok(())
}
