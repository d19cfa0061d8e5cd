//! The HTML of a report is complete and well-formed, loads nothing, and escapes the text of the report.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use conformance::report::{Report, Runs};
use conformance::{Outcome, Stop, Verdict, catalogue, check};
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};
use rstest::rstest;
use serde_json::{Value, json};

use crate::command::{Reports, conformance, plain};
use crate::suite::harness;

/// The records of one and of two H200s.
const H200: &str = "nvidia-580.159.04-h200.jsonl";
const H200_X2: &str = "nvidia-580.159.04-h200-x2.jsonl";

/// Returns the path of a record. In a bundle, the records are beside the suite.
fn record(name: &Path) -> Result<PathBuf, Stop> {
    let bundled = std::env::current_exe().map_err(harness)?.with_file_name("records").join(name);
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("records").join(name);
    Ok(if bundled.is_file() { bundled } else { kept })
}

/// A text that would run scripts if it were not escaped.
const HOSTILE: &str = "</samp></script><script>alert('1')</script><img src=x onerror=\"alert(2)\"> {{ 7 }} &lt; ' -->";

/// The start of an element.
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
}

/// A page, parsed as a browser parses it.
struct Page {
    elements: Vec<Element>,
    text: String,
    problems: Vec<String>,
}

impl Page {
    fn read(html: &str) -> Self {
        let mut page = Self { elements: Vec::new(), text: String::new(), problems: Vec::new() };
        let mut open: Vec<String> = Vec::new();
        let mut emitter = DefaultEmitter::<()>::default();
        emitter.naively_switch_states(true);
        for token in Tokenizer::new_with_emitter(html, emitter).flatten() {
            match token {
                Token::StartTag(tag) => {
                    let name = text(&tag.name);
                    let attributes = tag.attributes.iter().map(|(name, value)| (text(name), text(value))).collect();
                    let is_void = ["meta", "link", "input", "br"].contains(&name.as_str());
                    if !is_void && !tag.self_closing {
                        open.push(name.clone());
                    }
                    page.elements.push(Element { name, attributes });
                }
                Token::EndTag(tag) => {
                    let name = text(&tag.name);
                    if open.pop().as_ref() != Some(&name) {
                        page.problems.push(format!("</{name}> closes no element"));
                    }
                }
                Token::String(words) => page.text.push_str(&String::from_utf8_lossy(&words)),
                Token::Error(error) => page.problems.push(error.to_string()),
                _ => {}
            }
        }
        page.problems.extend(open.into_iter().map(|name| format!("<{name}> is not closed")));
        page
    }

    /// Returns the values of an attribute in all elements, with the names of the elements.
    fn attribute<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.elements.iter().flat_map(move |element| {
            let values = element.attributes.iter().filter(move |(attribute, _)| attribute == name);
            values.map(|(_, value)| (element.name.as_str(), value.as_str()))
        })
    }

    fn ids(&self) -> Vec<&str> {
        self.attribute("id").map(|(_, id)| id).collect()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Decodes the percent signs of an address.
fn decoded(address: &str) -> String {
    let mut pieces = address.split('%');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        let (digits, rest) = piece.split_at(2);
        text + &u8::from_str_radix(digits, 16).map_or('%', char::from).to_string() + rest
    })
}

/// Returns the output of `conformance html`. A file name without a folder is the name of a record.
fn html(arguments: &[&Path]) -> Result<String, Stop> {
    let mut command = conformance(&["html"])?;
    for argument in arguments {
        let is_record = argument.extension().is_some() && argument.parent() == Some(Path::new(""));
        command.arg(if is_record { record(argument)? } else { argument.to_path_buf() });
    }
    let output = command.output().map_err(harness)?;
    check!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).map_err(harness)
}

/// Returns the page of a report with the given first line and other lines.
fn html_of(run: &Value, lines: &[Value]) -> Result<String, Stop> {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = folder.path().join("some.jsonl");
    let text: String = [run].into_iter().chain(lines).map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, text).map_err(harness)?;
    html(&[&path])
}

/// Returns a report's first line, with the given driver name and number of devices. Each device is linked with every
/// other.
fn run(name: &str, devices: i32) -> Value {
    let device = |index| {
        json!({
            "name": name, "uuid": format!("{index:032x}"), "memory": 1u64 << 34, "ipc": true, "managed_memory": true,
            "memory_pools": true, "pool_handle_types": 1, "virtual_memory": true, "memory_descriptors": true,
            "fabric": "Absent"
        })
    };
    let pairs = (0..devices).flat_map(|from| (0..devices).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let link = |(from, to)| {
        json!({
            "from": from, "to": to, "access": true, "performance_rank": (from + to) % 2, "native_atomics": from < to,
            "arrays": true
        })
    };
    json!({
        "line": "run", "format": 2, "run": "1", "seed": 1, "fresh": false,
        "driver": { "kind": "path", "name": name, "version": "1", "cuda": "13.0", "path": name },
        "devices": (0..devices).map(device).collect::<Vec<_>>(),
        "links": pairs.map(link).collect::<Vec<_>>()
    })
}

fn case(id: &str, words: &str) -> Value {
    json!({
        "line": "case", "id": id, "rows": ["P2P-001"], "verdict": "fail", "reason": words, "observations": { words: words },
        "disclosures": [words],
        "steps": [{ "role": words, "call": words, "answer": words }], "duration_ms": 1.5
    })
}

fn end() -> Value {
    json!({ "line": "end", "summary": {} })
}

/// The page is well-formed and has every row of the catalogue and every case of the report once.
#[rstest]
#[conformance::test()]
fn the_page_has_every_row_and_case() -> Outcome {
    let page = Page::read(&html(&[Path::new(H200)])?);
    check!(page.problems.is_empty(), "{:?}", page.problems);
    let ids = page.ids();
    let unique: HashSet<&str> = ids.iter().copied().collect();
    check!(unique.len() == ids.len(), "an id occurs twice");
    for row in catalogue::groups().map_err(Stop::Harness)?.iter().flat_map(|group| &group.row) {
        check!(unique.contains(row.id.as_str()), "{} is missing", row.id);
        check!(page.text.contains(&row.statement), "the statement of {} is missing", row.id);
    }
    let report = Report::read(&record(Path::new(H200))?).map_err(harness)?;
    for case in &report.cases {
        check!(unique.contains(format!("case:{}", case.id).as_str()), "{} is missing", case.id);
    }
    check!(
        page.text.contains("NVIDIA 580.159.04 (CUDA 13.0) on 1\u{a0}× NVIDIA H200"),
        "the headline does not name the driver and the GPUs"
    );
    Ok(())
}

/// Every link within the page leads to an element or to a filter.
#[rstest]
#[conformance::test()]
fn every_link_has_a_target() -> Outcome {
    let page = Page::read(&html(&[Path::new(H200_X2), Path::new("--compare"), Path::new(H200)])?);
    check!(page.problems.is_empty(), "{:?}", page.problems);
    let ids: HashSet<&str> = page.ids().into_iter().collect();
    for fragment in page.attribute("href").filter_map(|(_, address)| address.strip_prefix('#')) {
        let decoded = decoded(fragment);
        check!(fragment.starts_with("verdict=") || ids.contains(decoded.as_str()), "#{fragment} has no target");
    }
    Ok(())
}

/// No element of the page loads anything, and the page's policy forbids it.
#[rstest]
#[case::report(&[H200])]
#[case::comparison(&[H200_X2, "--compare", H200])]
#[conformance::test()]
fn the_page_loads_nothing(#[case] arguments: &[&str]) -> Outcome {
    let arguments: Vec<_> = arguments.iter().map(Path::new).collect();
    let html = html(&arguments)?;
    let page = Page::read(&html);
    let policy: Vec<_> = page.attribute("content").filter(|(_, value)| value.contains("default-src")).collect();
    check!(policy.len() == 1 && policy[0].1.starts_with("default-src 'none';"), "{policy:?}");
    check!(!policy[0].1.contains("unsafe"), "{policy:?}");
    for name in ["src", "srcset", "action", "style", "data", "poster", "xlink:href"] {
        check!(page.attribute(name).next().is_none(), "the page has an attribute {name}");
    }
    for (element, address) in page.attribute("href") {
        let is_alone =
            address.starts_with('#') || (element == "a" && address.starts_with("https://")) || address == "data:,";
        check!(is_alone, "{element} refers to {address}");
    }
    let style = html.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next()).unwrap_or_default();
    check!(!style.is_empty() && !style.contains("url(") && !style.contains("@import"), "the style loads something");
    Ok(())
}

/// The text of a report cannot add elements or attributes, wherever the page shows it.
#[rstest]
#[conformance::test()]
fn text_of_a_report_is_escaped() -> Outcome {
    let plain = Page::read(&html_of(&run("plain", 2), &[case("plain", "plain"), end()])?);
    let hostile = Page::read(&html_of(&run(HOSTILE, 2), &[case(HOSTILE, HOSTILE), end()])?);
    check!(hostile.problems.is_empty(), "{:?}", hostile.problems);
    let shape = |page: &Page| -> Vec<_> {
        let names = |element: &Element| element.attributes.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        page.elements.iter().map(|element| (element.name.clone(), names(element))).collect()
    };
    check!(shape(&plain) == shape(&hostile), "the text of the report added elements or attributes");
    let times = |page: &Page, words: &str| page.text.matches(words).count();
    check!(times(&hostile, HOSTILE) >= 8, "the page shows the text only {} times", times(&hostile, HOSTILE));
    Ok(())
}

/// Only `https` addresses become links.
#[rstest]
#[case::script("see javascript:alert(1)", 0)]
#[case::plain("see http://example.org/", 0)]
#[case::secure("see https://example.org/a\"b (there)", 2)]
#[conformance::test()]
fn only_https_addresses_become_links(#[case] reason: &str, #[case] links: usize) -> Outcome {
    let page = Page::read(&html_of(&run("some", 1), &[case("some", reason), end()])?);
    let found = page.attribute("href").filter(|(_, address)| address.contains("alert") || address.contains("example"));
    let found: Vec<_> = found.collect();
    // In the list of cases that need attention, and at the case.
    check!(found.len() == links && found.iter().all(|(_, address)| *address == "https://example.org/a"), "{found:?}");
    Ok(())
}

/// The page of an incomplete run says so and names the case that was running.
#[rstest]
#[case::ended(&[], false)]
#[case::broke_off(&[json!({ "line": "start", "id": "the_last_one" })], true)]
#[conformance::test()]
fn the_page_says_if_a_run_is_incomplete(#[case] more: &[Value], #[case] is_told: bool) -> Outcome {
    let mut lines = vec![case("first", "a reason")];
    lines.extend(if is_told { more.to_vec() } else { vec![end()] });
    let page = Page::read(&html_of(&run("some", 1), &lines)?);
    check!(page.text.contains("This report is incomplete") == is_told);
    check!(page.text.contains("the_last_one") == is_told);
    Ok(())
}

/// If the environment is missing, the page says why: the report is a golden record or has the first format.
#[rstest]
#[case::record("record", "golden record")]
#[case::first_format("1", "first format")]
#[conformance::test()]
fn a_missing_environment_is_explained(#[case] name: &str, #[case] why: &str) -> Outcome {
    let mut run = run("some", 1);
    run["run"] = json!(name);
    let page = Page::read(&html_of(&run, &[end()])?);
    let words = ["golden record", "first format"].map(|words| (words == why) == page.text.contains(words));
    check!(words == [true, true], "{words:?}");
    Ok(())
}

/// Every device is drawn. One line joins two devices if both directions have the same properties, otherwise two do.
#[rstest]
#[case::none(0)]
#[case::one(1)]
#[case::two(2)]
#[case::eight(8)]
#[case::sixteen(16)]
#[conformance::test()]
fn the_topology_is_drawn(#[case] devices: i32) -> Outcome {
    let page = Page::read(&html_of(&run("some", devices), &[end()])?);
    check!(page.problems.is_empty(), "{:?}", page.problems);
    let of = |class: &str| page.attribute("class").filter(|(_, value)| *value == class).count() as i32;
    check!(of("gpu") == devices, "{} boxes", of("gpu"));
    let arrows = page.attribute("marker-end").count() as i32;
    check!(arrows == devices * (devices - 1), "{arrows} arrows");
    check!(page.attribute("d").all(|(_, path)| !path.contains("NaN") && !path.contains("inf")));
    Ok(())
}

/// An error of the harness does not count as a broken row.
#[rstest]
#[case::fail("fail", "breaks 2 of 2 checked rules")]
#[case::error("error", "breaks 1 of 1 checked rules")]
#[conformance::test()]
fn an_error_of_the_harness_breaks_no_row(#[case] verdict: &str, #[case] says: &str) -> Outcome {
    let mut other = case("other", "words");
    (other["rows"], other["verdict"]) = (json!(["P2P-002"]), json!(verdict));
    let page = Page::read(&html_of(&run("some", 1), &[case("some", "words"), other, end()])?);
    check!(page.text.contains(says), "{}", page.text.lines().take(20).collect::<String>());
    Ok(())
}

/// Links without access count as one kind, whatever else the driver reports about them.
#[rstest]
#[conformance::test()]
fn links_without_access_are_alike() -> Outcome {
    let mut run = run("some", 3);
    for link in run["links"].as_array_mut().into_iter().flatten() {
        link["access"] = json!(false);
    }
    let page = Page::read(&html_of(&run, &[end()])?);
    check!(page.text.contains("6 links: no access"), "{}", page.text);
    Ok(())
}

/// A count of one has a noun in the singular.
#[rstest]
#[conformance::test()]
fn one_case_is_counted_in_the_singular() -> Outcome {
    let page = Page::read(&html_of(&run("some", 1), &[case("some", "plain"), end()])?);
    check!(page.text.contains("1 case\n") && !page.text.contains("1 cases"), "{}", page.text);
    Ok(())
}

/// The page of two reports says first what regressed, and shows both drivers.
#[rstest]
#[conformance::test()]
fn two_reports_are_compared() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let (old, new) = (folder.path().join("old.jsonl"), folder.path().join("new.jsonl"));
    let mut passed = case("some::case", "a reason");
    passed["verdict"] = json!("pass");
    passed["reason"] = Value::Null;
    let mut failed = case("some::case", "words");
    failed["reason"] = json!("CODE 5 in step 3");
    for (path, name, case) in [(&old, "libold.so", passed), (&new, "libnew.so", failed)] {
        let text: String = [run(name, 1), case, end()].iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(path, text).map_err(harness)?;
    }
    let page = Page::read(&html(&[&new, Path::new("--compare"), &old])?);
    check!(page.problems.is_empty(), "{:?}", page.problems);
    check!(page.text.contains("broke since libold.so 1 (1 wrong result): CODE 5 in step 3"));
    check!(page.text.contains("libold.so (CUDA 13.0)") && page.text.contains("libnew.so (CUDA 13.0)"));
    check!(page.attribute("data-change").any(|(_, change)| change == "regressed"));
    // In the title and the first sentence, as the cause and as the new reason in the comparison, and at the case.
    let reasons = page.text.matches("CODE 5 in step 3").count();
    check!(reasons == 5, "the page shows the reason {reasons} times");
    Ok(())
}

/// A file that is not a report is refused, and an existing page stays.
#[rstest]
#[conformance::test()]
fn a_bad_report_writes_nothing() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let (report, page) = (folder.path().join("report.jsonl"), folder.path().join("page.html"));
    std::fs::write(&report, "{").map_err(harness)?;
    std::fs::write(&page, "before").map_err(harness)?;
    let mut command = conformance(&["html"])?;
    let output = command.arg(&report).arg("--output").arg(&page).output().map_err(harness)?;
    check!(output.status.code() == Some(2), "{:?}", output.status);
    check!(String::from_utf8_lossy(&output.stderr).contains("report.jsonl"));
    check!(std::fs::read_to_string(&page).map_err(harness)? == "before");
    Ok(())
}

/// A failure says how often it happened, among what needs attention, at its case, and in a comparison.
#[rstest]
#[conformance::test()]
fn the_page_says_how_often_a_case_failed() -> Outcome {
    let (old, mut new) = (plain("580.159.04", 2), plain("580.159.04", 2));
    let case = &mut new.cases[0];
    (case.verdict, case.reason, case.runs) = (Verdict::Fail, Some("so".to_owned()), Some(Runs { failed: 1, of: 3 }));
    let reports = Reports::new(&old, &new)?;
    let page = text(&reports.run(&["html", "new"])?.stdout);
    let told = "<span class=\"note\">fails in 1 of 3 runs</span>";
    check!(page.matches(told).count() == 2, "{}", page.matches(told).count());
    let compared = text(&reports.run(&["html", "new", "--compare", "old"])?.stdout);
    check!(compared.contains(", fails in 1 of 3 runs</span>"), "the comparison does not say how often");
    Ok(())
}

/// Each verdict has its colour in badges, bars and the grid, except `unsupported`, which has that of an unknown word.
#[rstest]
#[conformance::test()]
fn each_verdict_has_a_colour() -> Outcome {
    let report = plain("580.159.04", 1);
    let page = text(&Reports::new(&report, &report)?.run(&["html", "new"])?.stdout);
    for verdict in Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Unsupported) {
        for selector in [".badge.", ".bar .", ".grid a."] {
            check!(page.contains(&format!("{selector}{verdict}")), "the page has no style for {selector}{verdict}");
        }
    }
    Ok(())
}
