// Filters and links. The address's fragment contains the filters, so that a link shows the same view again.
// Without this script, the page shows everything but has no filters.
"use strict";
(() => {
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");
  const names = [...form.elements].map((control) => control.name).filter(Boolean);

  // An element that filters can hide. Its text is read when the first search needs it.
  const item = (element) => {
    let text;
    return {
      element,
      verdict: element.dataset.verdict,
      change: element.dataset.change ?? "",
      contains: (words) => {
        text ??= element.textContent.toLowerCase();
        return words.every((word) => text.includes(word));
      },
    };
  };
  const row = (element) => {
    const about = [element.querySelector("summary"), element.querySelector("dl")].map((part) => part.textContent);
    const text = about.join(" ").toLowerCase();
    return {
      ...item(element),
      class: element.dataset.class,
      cases: [...element.querySelectorAll(".case")].map(item),
      contains: (words) => words.every((word) => text.includes(word)),
    };
  };
  const groups = [...document.querySelectorAll("section.group")].map((element) => ({
    element,
    name: element.dataset.group,
    rows: [...element.querySelectorAll(".row")].map(row),
    loose: [...element.querySelectorAll(":scope > .case")].map(item),
    later: element.querySelector(":scope > .later"),
  }));

  const fits = (thing, filter) =>
    (!filter.verdict || thing.verdict === filter.verdict) && (!filter.change || thing.change === filter.change);
  const show = (thing, isShown) => {
    thing.element.hidden = !isShown;
    return isShown;
  };

  function showRow(row, filter, words) {
    if (filter.class && row.class !== filter.class) return show(row, false);
    const isFound = row.contains(words);
    if (row.cases.length === 0) return show(row, isFound && fits(row, filter));
    const cases = row.cases.filter((one) => show(one, fits(one, filter) && (isFound || one.contains(words))));
    return show(row, cases.length > 0);
  }

  function apply(filter) {
    const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [];
    let cases = new Set();
    for (const group of groups) {
      const isIn = !filter.group || group.name === filter.group;
      const found = group.rows.filter((row) => isIn && showRow(row, filter, words));
      const loose = group.loose.filter((one) =>
        show(one, isIn && !filter.class && fits(one, filter) && one.contains(words)));
      show(group, found.length + loose.length > 0);
      if (group.later) {
        const later = found.filter((row) => row.verdict === "unimplemented");
        group.later.hidden = later.length === 0;
        group.later.open = later.length > 0 && names.some((name) => filter[name]);
      }
      rows.push(...found);
      for (const row of found) {
        for (const one of row.cases) if (!one.element.hidden) cases.add(one.element.querySelector("code").textContent);
      }
      for (const one of loose) cases.add(one.element.id);
    }
    if (rows.length === 1) rows[0].element.open = true;
    shown.textContent = `${rows.length} rows, ${cases.size} cases`;
  }

  const read = () => Object.fromEntries(names.map((name) => [name, form.elements[name].value]));

  // Applies the filter that the fragment contains, or opens the row or case that it names.
  function follow() {
    const fragment = location.hash.slice(1);
    const parameters = new URLSearchParams(fragment);
    const isFilter = names.some((name) => parameters.has(name));
    const target = isFilter ? null : find(fragment);
    if (isFilter || !target) {
      for (const name of names) form.elements[name].value = parameters.get(name) ?? "";
      apply(read());
      if (isFilter) document.getElementById("rows").scrollIntoView();
      return;
    }
    if (target.closest("[hidden]")) {
      form.reset();
      apply(read());
    }
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    target.scrollIntoView();
  }

  function find(fragment) {
    try {
      return document.getElementById(decodeURIComponent(fragment));
    } catch {
      return null;
    }
  }

  // Writes the values of the controls to the fragment and applies them.
  function changed() {
    const filter = read();
    const parameters = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
    history.replaceState(null, "", `#${parameters}`);
    apply(filter);
  }

  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(changed));
  addEventListener("hashchange", follow);
  for (const button of document.querySelectorAll(".copy")) {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.previousElementSibling.textContent);
      button.textContent = "copied";
    });
  }
  form.hidden = false;
  follow();
})();
