"""Opens pages of `conformance html` in Chromium, uses them, and checks them."""

import argparse
import copy
import json
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

HOSTILE = "</samp></script><script>window.ran = 1</script><img src=x onerror='window.ran = 2'>"
FAILED = "ipcmem::close::null_is_refused"
# The record that the page with filters shows.
H200_PAIR = "nvidia-580.159.04-h200-x2.jsonl"


class Pages:
    """A browser, and the pages that it opens."""

    def __init__(self, browser, arguments):
        self.browser, self.arguments = browser, arguments
        listed = subprocess.run([arguments.command, "list", "--format", "json"], check=True, timeout=60, capture_output=True)
        # The page has every row of the catalogue, also those that the report has no case of.
        self.catalogue_rows = len(json.loads(listed.stdout)["rows"])

    def write(self, name, report, compare=None):
        """Renders a page, and returns its address."""
        page = self.arguments.scratch / f"{name}.html"
        command = [self.arguments.command, "html", report, "--output", page]
        subprocess.run(command + (["--compare", compare] if compare else []), check=True, timeout=60)
        return page.as_uri()

    def write_fleet(self, *reports):
        """Renders the page of these reports, and of some of other releases, as those of a fleet. Returns its address."""
        folder, page = self.arguments.scratch / "fleet", self.arguments.scratch / "fleet.html"
        folder.mkdir()
        for number, report in enumerate(reports):
            shutil.copy(report, folder / f"node-{number}.jsonl")
        first, rest = reports[-1].read_text().split("\n", 1)
        run = json.loads(first)
        # More columns than a phone has room for.
        for release in range(8):
            run["driver"]["version"] = f"{500 + release}.10.20"
            (folder / f"release-{release}.jsonl").write_text(f"{json.dumps(run)}\n{rest}")
        subprocess.run([self.arguments.command, "fleet", folder, "--format", "html", "--output", page], check=True, timeout=60)
        return page.as_uri()

    @contextmanager
    def open(self, address, width=1280, height=900, **options):
        """Opens a page in its own window. The page must not report errors, request anything or scroll sideways."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        page = context.new_page()
        problems = []
        page.on("console", lambda message: problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: request.url.split("#")[0] != address.split("#")[0]
                and not request.url.startswith("data:") and problems.append(f"request: {request.url}"))
        page.goto(address)
        yield page
        if options.get("java_script_enabled", True):
            # On a phone, the browser makes `innerWidth` as large as a page that is too wide.
            sideways = page.evaluate("document.documentElement.scrollWidth") - width
            assert sideways <= 0, f"{address} is {sideways} pixels wider than {width}"
        assert not problems, f"{address}: {problems}"
        context.close()


def shown(page, selector):
    """Returns the number of elements that no filter hides, whether or not their row is open."""
    return page.evaluate("s => [...document.querySelectorAll(s)].filter(e => !e.closest('[hidden]')).length", selector)


def planted(arguments):
    """Writes the reference report with one failure, hostile text in it, and without an end line."""
    text = (arguments.scratch / "reference.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    lines = [line for line in lines if line["line"] != "end"]
    case = next(line for line in lines if line["line"] == "case" and line["id"] == FAILED)
    case.update(verdict="fail", reason=HOSTILE, observations={HOSTILE: HOSTILE})
    lines.append({"line": "start", "id": "the_last_one"})
    path = arguments.scratch / "planted.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def large(arguments, cases):
    """Writes a report of many cases, with the steps of the real ones."""
    lines = [json.loads(line) for line in (arguments.scratch / "reference.jsonl").read_text().splitlines()]
    real = [line for line in lines if line["line"] == "case"]
    path = arguments.scratch / "large.jsonl"
    with path.open("w") as file:
        print(json.dumps(lines[0]), file=file)
        for number in range(cases):
            case = copy.copy(real[number % len(real)])
            print(json.dumps(case | {"id": f"{case['id']}_{number}"}), file=file)
        print(json.dumps(lines[-1]), file=file)
    return path


def deviating_cases(report, group):
    """Counts the cases below the rows of a group that end in a deviation: one for each row that a case claims."""
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    cases = [line for line in lines if line["line"] == "case" and line["verdict"] == "deviation"]
    return sum(row.startswith(f"{group}-") for case in cases for row in case["rows"])


def filters(pages, address):
    """Filters work by verdict, group, class and text. The fragment contains them, and a link with it shows the same."""
    with pages.open(address) as page:
        assert shown(page, ".row") == pages.catalogue_rows, (shown(page, ".row"), pages.catalogue_rows)
        page.locator(".grid a[href='#verdict=deviation&group=VMM-MAP']").click()
        deviations = deviating_cases(pages.arguments.records / H200_PAIR, "VMM-MAP")
        assert shown(page, ".case") == deviations > 0, (shown(page, ".case"), deviations)
        assert shown(page, "section.group") == 1
        assert shown(page, ".case[data-verdict=deviation]") == deviations
        page.get_by_role("button", name="Show all").click()
        page.wait_for_function(
            "rows => document.getElementById('shown').textContent.startsWith(`${rows} rows`)", arg=pages.catalogue_rows)
        page.get_by_label("Text").fill("cuIpcOpenMemHandle reference")
        assert 0 < shown(page, ".row") < 20, shown(page, ".row")
        page.get_by_label("Class").select_option("D")
        assert shown(page, ".row:not([data-class=D])") == 0 < shown(page, ".row")
        address, rows, text = page.url, shown(page, ".row"), page.locator("#shown").inner_text()
        assert "text=cuIpcOpenMemHandle" in address and "class=D" in address, address
        page.get_by_label("Text").fill("no such words anywhere")
        assert shown(page, ".row") == 0
        page.go_back()
    with pages.open(address) as page:
        assert (shown(page, ".row"), page.locator("#shown").inner_text()) == (rows, text)
        assert page.get_by_label("Class").input_value() == "D"
    with pages.open(address.split("#")[0] + "#verdict=unimplemented&group=PROC") as page:
        expect(page.locator("[id^=PROC-]").first).to_be_attached()
        assert shown(page, ".row") == shown(page, ".row[data-verdict=unimplemented]") > 0
        page.evaluate("document.getElementById('PROC-009').open = true")
        expect(page.locator("#PROC-009 dt", has_text="no case")).to_be_visible()
        assert page.locator(".later[open] .row:visible").count() == shown(page, ".row")


def rows(pages, address):
    """A row opens by the keyboard and shows its steps. A link to a case opens the elements that contain it."""
    with pages.open(address) as page:
        row = page.locator("#IPCMEM-OPEN-002")
        row.locator("summary").first.focus()
        page.keyboard.press("Enter")
        expect(row.get_by_text("Both opens return the same pointer.", exact=True)).to_be_visible()
        expect(row.locator(".script td", has_text="cuIpcOpenMemHandle").first).to_be_visible()
    with pages.open(f"{address}#case%3Aipcmem%3A%3Aclose%3A%3Anull_is_refused") as page:
        case = page.locator(f"[id='case:{FAILED}']")
        expect(case.locator(".script")).to_be_in_viewport()
    with pages.open(f"{address}#%E0%A4%A") as page:
        assert shown(page, ".row") == pages.catalogue_rows


def planted_failure(pages, address):
    """The change comes first and links to its case, and the text of a reason does not run."""
    with pages.open(address) as page:
        expect(page.locator("header.bad h1")).to_contain_text("(1 wrong result)")
        expect(page.locator("header .remark").first).to_contain_text("breaks 1 of")
        expect(page.locator(".banner")).to_contain_text("the_last_one")
        page.locator(".changes.regressed a code").first.click()
        expect(page.locator(f"[id='case:{FAILED}'] .reason")).to_have_text(HOSTILE)
        assert page.evaluate("window.ran") is None
        # The failure, and the case that was running.
        expect(page.locator("#changes")).to_have_text("What changed")
        expect(page.locator(".changes.regressed .changed")).to_have_count(1)
        expect(page.locator(".changes.unchecked .changed")).to_have_count(1)
        page.locator("select[name=change]").select_option("regressed")
        assert shown(page, ".case:not(p)") == 1


def themes(pages, address):
    """The page follows the system's light or dark theme, and all text has enough contrast in both."""
    backgrounds = set()
    for scheme in ["light", "dark"]:
        with pages.open(address, color_scheme=scheme) as page:
            backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            poor = page.evaluate(CONTRAST)
            assert not poor, f"{scheme}: {poor}"
    assert len(backgrounds) == 2, backgrounds


# Returns the elements whose text has a contrast below 4.5 to its background, by the formula of WCAG 2.
CONTRAST = """() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = parse(colour).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let part = element; part; part = part.parentElement) {
      const colour = getComputedStyle(part).backgroundColor;
      if ((parse(colour)[3] ?? 1) > 0) return colour;
    }
  };
  const poor = new Set();
  for (const element of document.querySelectorAll("h1, h2, h3, p, a, .badge, .change, .row-id, .class, td, th, label, dd, dt")) {
    if (!element.checkVisibility() || !element.textContent.trim()) continue;
    const [one, other] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (other + 0.05);
    if (contrast < 4.5) poor.add(`${element.tagName}.${element.className}: ${contrast.toFixed(2)}`);
  }
  return [...poor];
}"""


def narrow(pages, *addresses):
    """On a phone, the page does not scroll sideways, not even with all rows open."""
    for address in addresses:
        with pages.open(address, width=360, height=740, device_scale_factor=2, is_mobile=True, has_touch=True) as page:
            expect(page.locator("h1")).to_be_in_viewport()
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            # A row that is laid out lazily cuts off its content instead of making the page wider.
            cut = page.evaluate("[...document.querySelectorAll('.row')].filter((row) => row.scrollWidth > row.clientWidth).length")
            assert cut == 0, f"{address}: {cut} rows are cut off"
            squeezed = page.evaluate("[...document.querySelectorAll('caption')].filter((one) => one.clientWidth < 100).length")
            assert squeezed == 0, f"{address}: {squeezed} captions are squeezed"


def outliers(pages, address):
    """The page of a fleet begins with the machine that differs from its peers, and its text does not run."""
    with pages.open(address) as page:
        expect(page.locator("h1")).to_be_in_viewport()
        expect(page.locator(".attention li").first).to_contain_text("node-4")
        assert page.evaluate("window.ran") is None


def without_script(pages, address):
    """Without scripts, rows open and the filters are hidden."""
    with pages.open(address, java_script_enabled=False) as page:
        expect(page.locator("#filters")).to_be_hidden()
        row = page.locator("#IPCMEM-OPEN-002")
        expect(row).to_be_visible()
        row.locator("summary").first.click()
        expect(row.locator(".script").first).to_be_visible()


def many(pages, address):
    """A page of ten thousand cases opens and filters within seconds."""
    began = time.monotonic()
    with pages.open(address) as page:
        opened = time.monotonic()
        page.get_by_label("Text").fill("null_is_refused")
        assert 0 < shown(page, ".case") < 2000
        tallest = page.evaluate("Math.max(...[...document.querySelectorAll('.grid td a')].map((one) => one.offsetHeight))")
        assert tallest < 30, f"a number of the grid is {tallest} pixels high: it is wrapped"
        filtered = time.monotonic()
    print(f"  10000 cases: opened in {opened - began:.1f} s, filtered in {filtered - opened:.1f} s")
    assert opened - began < 30 and filtered - opened < 15


def main():
    parser = argparse.ArgumentParser()
    for name in ["scratch", "command", "records", "browser"]:
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--screenshot", type=Path)
    arguments = parser.parse_args()
    # Chromium's own sandbox does not start for root.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox"])
        pages = Pages(browser, arguments)
        old, new = arguments.records / "nvidia-580.159.04-h200.jsonl", arguments.records / H200_PAIR
        reference = arguments.scratch / "reference.jsonl"
        h200 = pages.write("h200", new)
        both = pages.write("both", new, compare=old)
        steps = pages.write("reference", reference)
        bad = planted(arguments)
        failure = pages.write("planted", bad, compare=reference)
        # Three machines that are alike, one that fails, and those of another driver.
        fleet = pages.write_fleet(reference, reference, reference, reference, bad, old, new)
        checks = [
            (filters, h200), (rows, steps), (planted_failure, failure), (themes, failure), (themes, both), (themes, fleet),
            (narrow, h200, both, steps, failure, fleet), (outliers, fleet), (without_script, steps),
            (many, pages.write("large", large(arguments, 10_000))),
        ]
        for check, *addresses in checks:
            check(pages, *addresses)
            print(f"ok: {check.__name__}", flush=True)
        if arguments.screenshot:
            with pages.open(h200, width=1200, height=1050) as page:
                page.screenshot(path=arguments.screenshot)
        browser.close()


if __name__ == "__main__":
    main()
