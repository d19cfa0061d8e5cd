"""Converts reports with `conformance junit`, one of them with every verdict, and checks what CI's readers make of them."""

import argparse
import collections
import html
import json
import re
import subprocess
from pathlib import Path

import junitparser
from junit2htmlreport.parser import Junit
from lxml import etree

# The JUnit result of each verdict. A case that was still running at the end of the report has no verdict: "unended".
KINDS = {"pass": "passed", "deviation": "skipped", "unsupported": "skipped", "fail": "failure", "leak": "failure",
         "timeout": "failure", "crash": "failure", "error": "error", "unended": "error", "differs": "skipped",
         "fixed": "passed"}
KEPT = "<b>&amp;</b> ]]> \"quoted\" 'too' — 😀\nand a second line"
# XML cannot contain these characters.
LOST = "\x00\x08\ufffe"

Case = collections.namedtuple("Case", "verdict reason seconds told")
Seen = collections.namedtuple("Seen", "kind type message text output seconds")


def planted(scratch):
    """Writes the reference report with every verdict, each with its own reason, and without an end line."""
    lines = [json.loads(line) for line in (scratch / "reference.jsonl").read_text().splitlines()]
    lines = [line for line in lines if line["line"] != "end"]
    passed = [line for line in lines if line.get("verdict") == "pass" and line.get("steps") and line["observations"]]
    verdicts = [verdict for verdict in KINDS if verdict not in ("pass", "unended")]
    # Spread over all cases, so that several groups get one.
    for number, verdict in enumerate(verdicts):
        case = passed[number * len(passed) // len(verdicts)]
        case.update(verdict=verdict, reason=f"because of {verdict}: {KEPT}{LOST}")
    lines.append({"line": "start", "id": f"{passed[0]['id'].split('/')[0]}/kind=last"})
    path = scratch / "planted.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


# The call that ended a process, at the end of a reason. Reports of older suites have other names for it.
CALL = re.compile(r" in (?:cu[A-Z]|[a-z0-9]+_)\w*(?: ?[({].*?[)}])?(?= \(listed|$)")


def arguments(step):
    """Returns the arguments of a step as JUnit shows them, or nothing if handles are among them, which get names."""
    inside = step["call"].partition(" { ")[2].removesuffix(" }")
    return "" if any(letter.isupper() for letter in inside) else inside


def cases(report):
    """Returns the cases of a report, by id."""
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    found = {line["id"]: Case("unended", None, 0, []) for line in lines if line["line"] == "start"}
    for line in lines:
        if line["line"] == "case":
            reason = (line["reason"] or "").translate({ord(c): None for c in LOST})
            told = [f"row {row}" for row in line["rows"]] + [arguments(step) for step in line.get("steps", [])]
            found[line["id"]] = Case(line["verdict"], reason, line["duration_ms"] / 1000, told)
    return found


def name(classname, name):
    """Joins the class and the name of a case to its id in the suite."""
    return f"{classname.replace('.', '::')}::{name}"


def by_junitparser(path):
    """Returns what junitparser reads, which GitHub's commonest action uses, and checks the counts of the suites."""
    seen = {}
    for suite in junitparser.JUnitXml.fromfile(str(path)):
        kinds = collections.Counter()
        for case in suite:
            assert len(case.result) <= 1, (case.name, case.result)
            result = case.result[0] if case.result else None
            kind = result._tag if result else "passed"
            kinds[kind] += 1
            id = name(case.classname, case.name)
            assert id not in seen and id.split("::")[0] == suite.name, (id, suite.name)
            fields = (result.type, result.message, result.text) if result else (None, None, None)
            seen[id] = Seen(kind, *fields, case.system_out, case.time)
        counts = (suite.tests, suite.skipped, suite.failures, suite.errors)
        expected = (kinds.total(), kinds["skipped"], kinds["failure"], kinds["error"])
        assert counts == expected, (suite.name, counts, expected)
    return seen


def check(reported, seen):
    """Checks that each case occurs once, with the right result, and with its reason wherever a reader looks for it."""
    assert seen.keys() == reported.keys(), seen.keys() ^ reported.keys()
    for id, case in reported.items():
        found = seen[id]
        assert found.kind == KINDS[case.verdict], (id, case, found)
        assert abs(found.seconds - case.seconds) < 0.001, (id, case, found)
        if found.kind != "passed":
            assert found.type == case.verdict and found.message, (id, found)
            if case.reason is not None:
                assert CALL.sub("", found.message).split() == CALL.sub("", case.reason).split(), (id, found.message)
        # GitLab shows only the text. For a case that did not fail, Jenkins shows only the output.
        texts = [found.text] if found.kind != "passed" else []
        texts += [found.output] if case.verdict in ("unsupported", "differs", "deviation") else []
        for text in texts:
            assert text and text.startswith(f"{case.verdict}: {CALL.split(case.reason or found.message)[0]}"), (id, text)
            assert all(part in text for part in case.told), (id, case.told, text)


def check_page(reported, path):
    """Checks that junit2html counts the same, and that its page shows each name and each reason."""
    document = Junit(str(path))
    for outcome, kinds in [("passed", ["passed"]), ("skipped", ["skipped"]), ("failed", ["failure", "error"])]:
        read = {name(case.testclass.name, case.name) for suite in document for case in getattr(suite, outcome)()}
        expected = {id for id, case in reported.items() if KINDS[case.verdict] in kinds}
        assert read == expected, (outcome, read ^ expected)
    page = html.unescape(document.html())
    for id, case in reported.items():
        assert id.split("::")[-1] in page, id
        assert case.verdict == "pass" or f"{case.verdict}: {CALL.split(case.reason or '')[0]}" in page, (id, case)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--command", required=True, type=Path)
    parser.add_argument("--records", required=True, type=Path)
    arguments = parser.parse_args()

    every = planted(arguments.scratch)
    verdicts = {case.verdict for case in cases(every).values()}
    assert verdicts == KINDS.keys() and len({id.split("::")[0] for id in cases(every)}) > 1, verdicts
    schema = etree.XMLSchema(etree.parse(str(arguments.scratch / "junit-10.xsd")))
    path = arguments.scratch / "junit.xml"
    for report in [every, *sorted(arguments.records.glob("*.jsonl"))]:
        subprocess.run([arguments.command, "junit", report, "--output", path], check=True, timeout=60)
        reported = cases(report)
        schema.assertValid(etree.parse(str(path)))
        check(reported, by_junitparser(path))
        check_page(reported, path)
        counts = collections.Counter(case.verdict for case in reported.values())
        print(f"{report.name}:", ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))


if __name__ == "__main__":
    main()
