//! `conformance junit` writes XML that follows the schemas of Jenkins, GitLab and GitHub's actions.

use std::collections::{BTreeMap, BTreeSet};

use conformance::report::{Report, Runs};
use conformance::{Outcome, Stop, Verdict, check};
use quick_xml::events::{BytesStart, Event};
use rstest::rstest;

use crate::command::{Reports, case, plain, text};
use crate::suite::harness;

/// An element with its attributes, text and children.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    text: String,
    children: Vec<Element>,
}

impl Element {
    fn new(start: &BytesStart<'_>) -> Result<Self, Stop> {
        let name = String::from_utf8_lossy(start.name().as_ref()).into_owned();
        let mut element = Self { name, ..Self::default() };
        for attribute in start.attributes() {
            let attribute = attribute.map_err(harness)?;
            let name = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
            let value = std::str::from_utf8(&attribute.value).map_err(harness)?;
            let value = quick_xml::escape::unescape(value).map_err(harness)?.into_owned();
            check!(element.attributes.insert(name, value).is_none(), "an attribute occurs twice");
        }
        Ok(element)
    }

    fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &Self> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

fn parse(xml: &str) -> Result<Element, Stop> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut open = vec![Element::default()];
    let close = |open: &mut Vec<Element>| {
        if let (Some(element), Some(parent)) = (open.pop(), open.last_mut()) {
            parent.children.push(element);
        }
    };
    loop {
        match reader.read_event().map_err(harness)? {
            Event::Start(start) => open.push(Element::new(&start)?),
            Event::Empty(start) => {
                open.push(Element::new(&start)?);
                close(&mut open);
            }
            Event::End(_) => close(&mut open),
            Event::Text(part) => {
                let part = part.decode().map_err(harness)?;
                open.last_mut().ok_or_else(|| harness("no element"))?.text.push_str(&part);
            }
            Event::GeneralRef(reference) => {
                let name = reference.decode().map_err(harness)?;
                let c = quick_xml::escape::unescape(&format!("&{name};")).map_err(harness)?.into_owned();
                open.last_mut().ok_or_else(|| harness("no element"))?.text.push_str(&c);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let mut document = open.pop().ok_or_else(|| harness("no document"))?;
    document.children.pop().ok_or_else(|| harness("no root"))
}

/// The rules of the schemas for each element: its attributes, and its children in their order.
const RULES: [(&str, &[&str], &[&str]); 9] = [
    ("testsuites", &["name", "time"], &["testsuite"]),
    (
        "testsuite",
        &["name", "tests", "failures", "errors", "skipped", "time", "timestamp"],
        &["properties", "testcase", "system-out", "system-err"],
    ),
    ("properties", &[], &["property"]),
    ("property", &["name", "value"], &[]),
    ("testcase", &["name", "classname", "time"], &["skipped", "error", "failure", "system-out", "system-err"]),
    ("skipped", &["type", "message"], &[]),
    ("error", &["type", "message"], &[]),
    ("failure", &["type", "message"], &[]),
    ("system-out", &[], &[]),
];

fn check_rules(element: &Element) -> Outcome {
    let rule = RULES.iter().find(|(name, ..)| *name == element.name);
    let (name, attributes, children) = rule.ok_or_else(|| Stop::failed(format!("unknown element {}", element.name)))?;
    let found: BTreeSet<_> = element.attributes.keys().map(String::as_str).collect();
    check!(found == attributes.iter().copied().collect(), "{name} has the attributes {found:?}");
    let place = |child: &Element| children.iter().position(|known| *known == child.name);
    let places: Vec<_> = element.children.iter().map(place).collect();
    check!(places.iter().all(Option::is_some) && places.is_sorted(), "{name} has children at {places:?}: {element:?}");
    element.children.iter().try_for_each(check_rules)
}

fn junit(report: &Report) -> Result<Element, Stop> {
    let output = Reports::new(report, report)?.run(&["junit", "old"])?;
    check!(output.status.success(), "{}", text(&output.stderr));
    let xml = text(&output.stdout);
    check!(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"), "{xml}");
    parse(&xml)
}

/// Returns a report with a case of every verdict, and one that did not end.
fn every_verdict() -> Report {
    let mut report = plain("580.159.04", 0);
    for verdict in Verdict::ALL {
        let mut case = case(&format!("vmm::import::{verdict}/kind=Socket"));
        (case.verdict, case.reason) = (verdict, Some(format!("because of {verdict}")));
        case.duration_ms = 1500.0;
        report.cases.push(case);
    }
    report.cases.push(case("fab::passes"));
    report.cases.sort_by(|one, other| one.id.cmp(&other.id));
    report.running.push("fab::last".to_owned());
    report.is_complete = false;
    report
}

/// A report that is cut off between two cases, or lost lines, is no green file. A report of nextest has no end line, which a
/// property says.
#[rstest]
#[case::whole("1", true, false)]
#[case::cut_off("1", false, true)]
#[case::nextest("d7a1d3c6-7a4c-4f0e-9a3e-2b6a1a1c5e11", false, false)]
#[conformance::test()]
fn a_report_without_an_end_is_an_error(
    #[case] run: &str,
    #[case] is_complete: bool,
    #[case] is_an_error: bool,
) -> Outcome {
    let mut report = plain("580.159.04", 2);
    (report.run.run, report.is_complete) = (run.to_owned(), is_complete);
    let root = junit(&report)?;
    check_rules(&root)?;
    let errors: Vec<_> = root.named("testsuite").filter(|suite| suite.attribute("errors") == "1").collect();
    check!(
        errors.iter().map(|suite| suite.attribute("name")).collect::<Vec<_>>() == ["run"][..usize::from(is_an_error)]
    );
    let properties: Vec<_> = root.named("testsuite").flat_map(|suite| suite.named("properties")).collect();
    let all = properties.iter().flat_map(|all| all.named("property"));
    let says_so = all.into_iter().any(|property| property.attribute("name") == "end");
    check!(says_so == (!is_complete && !is_an_error));
    Ok(())
}

/// The elements, their order, their attributes and the counts follow the schemas.
#[rstest]
#[conformance::test()]
fn the_xml_follows_the_schemas() -> Outcome {
    let root = junit(&every_verdict())?;
    check_rules(&root)?;
    let suites: Vec<_> = root.named("testsuite").map(|suite| suite.attribute("name")).collect();
    check!(root.name == "testsuites" && suites == ["fab", "vmm"], "{suites:?}");
    for suite in root.named("testsuite") {
        let cases: Vec<_> = suite.named("testcase").collect();
        check!(suite.attribute("tests") == cases.len().to_string(), "{suite:?}");
        for (attribute, child) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
            let count = cases.iter().filter(|case| case.named(child).count() > 0).count();
            check!(suite.attribute(attribute) == count.to_string(), "{attribute} of {suite:?}");
        }
        check!(suite.attribute("timestamp") == "2026-11-21T08:00:00", "{}", suite.attribute("timestamp"));
        let properties = suite.named("properties").flat_map(|all| all.named("property"));
        let names: Vec<_> =
            properties.map(|property| (property.attribute("name"), property.attribute("value"))).collect();
        check!(names.contains(&("driver", "NVIDIA 580.159.04")) && names.contains(&("devices", "2 × NVIDIA H200")));
        check!(names.contains(&("seed", "7")), "{names:?}");
    }
    Ok(())
}

/// Each verdict becomes the right element, with its reason.
#[rstest]
#[case::pass("pass", None)]
#[case::deviation("deviation", Some("skipped"))]
#[case::unsupported("unsupported", Some("skipped"))]
#[case::fail("fail", Some("failure"))]
#[case::leak("leak", Some("failure"))]
#[case::timeout("timeout", Some("failure"))]
#[case::crash("crash", Some("failure"))]
#[case::error("error", Some("error"))]
#[conformance::test()]
fn each_verdict_is_shown(#[case] verdict: &str, #[case] kind: Option<&str>) -> Outcome {
    let root = junit(&every_verdict())?;
    let name = format!("{verdict}/kind=Socket");
    let mut cases = root.named("testsuite").flat_map(|suite| suite.named("testcase"));
    let case = cases.find(|case| case.attribute("name") == name).ok_or_else(|| harness("the case is missing"))?;
    check!(case.attribute("classname") == "vmm.import" && case.attribute("time") == "1.500", "{case:?}");
    let ends: Vec<_> = case.children.iter().filter(|child| child.name != "system-out").collect();
    check!(ends.iter().map(|end| end.name.as_str()).eq(kind), "{case:?}");
    for end in ends {
        check!(
            end.attribute("type") == verdict && end.attribute("message") == format!("because of {verdict}"),
            "{end:?}"
        );
    }
    let speaks = matches!(verdict, "unsupported" | "deviation");
    check!(case.named("system-out").count() == usize::from(speaks), "{case:?}");
    // GitLab shows only the text.
    let text: String = case.children.iter().map(|child| child.text.as_str()).collect();
    let said = text.starts_with(&format!("{verdict}: because of {verdict}\nrow "));
    check!(said == (verdict != "pass") && said == text.contains("3. importer: cuIpcOpenMemHandle"), "{text:?}");
    Ok(())
}

/// The text of a failure says how often the case failed.
#[rstest]
#[conformance::test()]
fn the_text_says_how_often_a_case_failed() -> Outcome {
    let mut report = plain("580.159.04", 1);
    let case = &mut report.cases[0];
    (case.verdict, case.reason, case.runs) = (Verdict::Fail, Some("so".to_owned()), Some(Runs { failed: 1, of: 3 }));
    let root = junit(&report)?;
    let cases = root.named("testsuite").flat_map(|suite| suite.named("testcase"));
    let texts: Vec<_> = cases.flat_map(|case| case.named("failure")).map(|failure| failure.text.as_str()).collect();
    check!(texts.len() == 1 && texts[0].contains("\nfailed in: 1 of 3 runs\n"), "{texts:?}");
    Ok(())
}

/// The output of a case names its disclosures, even if the case passed.
#[rstest]
#[case::pass(Verdict::Pass, "pass\ndisclosure: words\nrow ")]
#[case::deviation(Verdict::Deviation, "deviation: so\ndisclosure: words\nrow ")]
#[case::fail(Verdict::Fail, "fail: so\ndisclosure: words\nrow ")]
#[conformance::test()]
fn disclosures_are_in_the_output(#[case] verdict: Verdict, #[case] begins: &str) -> Outcome {
    let mut report = plain("580.159.04", 1);
    let case = &mut report.cases[0];
    (case.verdict, case.disclosures) = (verdict, vec!["words".to_owned()]);
    case.reason = (verdict != Verdict::Pass).then(|| "so".to_owned());
    let root = junit(&report)?;
    check_rules(&root)?;
    let mut cases = root.named("testsuite").flat_map(|suite| suite.named("testcase"));
    let case = cases.next().ok_or_else(|| harness("the case is missing"))?;
    let mut output = case.named("system-out");
    check!(output.next().is_some_and(|output| output.text.starts_with(begins)), "{case:?}");
    Ok(())
}

/// A case that was still running at the end of the report is an error.
#[rstest]
#[conformance::test()]
fn a_case_that_did_not_end_is_an_error() -> Outcome {
    let root = junit(&every_verdict())?;
    let mut cases = root.named("testsuite").flat_map(|suite| suite.named("testcase"));
    let case = cases.find(|case| case.attribute("name") == "last").ok_or_else(|| harness("the case is missing"))?;
    check!(case.named("error").any(|error| error.attribute("type") == "unended" && !error.text.is_empty()), "{case:?}");
    Ok(())
}

/// The characters of a reason are kept, except those that XML cannot contain.
#[rstest]
#[case::markup("<a href=\"x\">&amp;</a> ]]> 'q'", "<a href=\"x\">&amp;</a> ]]> 'q'")]
#[case::not_ascii("2 × NVIDIA — 😀", "2 × NVIDIA — 😀")]
#[case::control("a\u{0}b\u{8}c\u{1b}[31md\u{fffe}", "abcd")]
#[conformance::test()]
fn special_characters_are_kept(#[case] reason: &str, #[case] expected: &str) -> Outcome {
    let mut report = plain("580.159.04", 1);
    let case = &mut report.cases[0];
    (case.verdict, case.reason) = (Verdict::Fail, Some(reason.to_owned()));
    case.steps[0].answer = reason.to_owned();
    report.run.devices.truncate(1);
    report.run.devices[0].name = reason.to_owned();
    let root = junit(&report)?;
    check_rules(&root)?;
    let mut failures =
        root.named("testsuite").flat_map(|suite| suite.named("testcase")).flat_map(|case| case.named("failure"));
    let failure = failures.next().ok_or_else(|| harness("no failure"))?;
    check!(failure.attribute("message") == expected, "{:?}", failure.attribute("message"));
    check!(failure.text.contains(&format!("1. importer: cuIpcOpenMemHandle(…) -> {expected}\n")), "{:?}", failure.text);
    Ok(())
}
