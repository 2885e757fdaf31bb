// The lists of a round: <ul id="outstanding"> and <ul id="entered">, a row a table (li#match-12.match, .out or .in), the
// outstanding ones under headings (li.due) by their extra minutes. Each leads to its slip, which opens in its place.
// Rows come in from other desks: never over a row that is being edited, and focus stays where it was. A row in the
// wrong list goes over to the right one at once, but never under a pointer or a finger: while one is in a list, or
// the focus is, its rows stay where they are, marked, until it leaves or the box is used.
// The key of a button with data-key presses it wherever nothing is typed.
"use strict";
(() => {
  document.addEventListener("keydown", (event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
    if (!plain || event.target.closest("input, textarea, select, [contenteditable]")) return;
    const button = document.querySelector(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  });

  const COLD = 700; // ms for which the undo of a change that came in under the pointer does nothing
  let kept = null;
  let cold = 0;
  let box = false; // whether the hands are at the box, wherever the pointer rests
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const { target } = event.detail;
    if (!target || !target.id) return;
    if ("editing" in target.dataset) {
      event.detail.shouldSwap = false;
      return;
    }
    if (target.id === "last-change" && target.matches(":hover")) cold = performance.now() + COLD;
    const focused = document.activeElement;
    if (focused && target.contains(focused)) {
      const controls = Array.from(target.querySelectorAll("button, a[href]"));
      kept = { id: target.id, value: focused.value, last: controls.indexOf(focused) === controls.length - 1 };
    }
  });
  document.addEventListener("htmx:oobAfterSwap", () => {
    if (!kept) return;
    const { id, value, last } = kept;
    const row = document.getElementById(id);
    if (!row) return;
    kept = null;
    const controls = Array.from(row.querySelectorAll("button, a[href]"));
    const same = last ? controls.at(-1) : controls.find((control) => control.value === value) || controls[0];
    same?.focus({ preventScroll: true });
  });
  document.addEventListener(
    "click",
    (event) => {
      if (performance.now() < cold && event.target.closest("#last-change")) event.preventDefault();
    },
    true,
  );

  // --- a table opens in its place ---------------------------------------------------------------------------
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".match > a.at[href$='/slip/']");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    const row = link.closest(".match");
    window.htmx.ajax("GET", link.href, { source: link, target: row, swap: "outerHTML" }).catch(() => {});
  });

  // --- each row in its list, at its place: outstanding ones by extra minutes, which is the order of their deadlines ---
  const table = (row) => Number(row.id.slice("match-".length)) || Infinity;
  const extra = (row) => (row.classList.contains("in") ? 0 : Number(row.dataset.extra) || 0);
  const isRow = (element) => element?.matches(".match");
  const precedes = (one, other) => extra(one) - extra(other) || table(one) - table(other);
  let moved = false; // whether a row or a heading may be out of place

  function neighbor(row, step) {
    let other = row[step];
    while (other && !isRow(other)) other = other[step];
    return other;
  }

  function isHome(row, home) {
    const [before, after] = [neighbor(row, "previousElementSibling"), neighbor(row, "nextElementSibling")];
    return row.parentElement === home && !(before && precedes(before, row) > 0) && !(after && precedes(row, after) > 0);
  }

  const inUse = (list) => list.querySelector(":focus-visible") || (!box && list.matches(":hover"));

  // The headings that came with the last answer, in the place of those there are.
  function putHeadings() {
    const fresh = document.getElementById("deadlines");
    const list = document.getElementById("outstanding");
    if (!list || !fresh || !("fresh" in fresh.dataset)) return true;
    if (inUse(list)) return false;
    delete fresh.dataset.fresh;
    for (const heading of list.querySelectorAll(":scope > .due")) heading.remove();
    for (const heading of Array.from(fresh.children)) {
      const first = Array.from(list.children).find((row) => isRow(row) && extra(row) >= Number(heading.dataset.extra));
      list.insertBefore(heading, first || null);
    }
    return true;
  }

  function settle() {
    if (!moved) return;
    let left = false;
    for (const row of document.querySelectorAll(".matches > .match.out, .matches > .match.in")) {
      const home = document.getElementById(row.classList.contains("out") ? "outstanding" : "entered");
      const list = row.parentElement;
      if (!home || !row.id || isHome(row, home)) continue;
      if (inUse(list) || (!box && home.matches(":hover"))) {
        left = true;
        continue;
      }
      const next = Array.from(home.children).find((other) => isRow(other) && other !== row && precedes(other, row) > 0);
      home.insertBefore(row, next || null);
    }
    moved = !putHeadings() || left;
    const list = document.getElementById("outstanding");
    if (list?.children.length <= 100) list.classList.remove("numbers");
  }
  document.addEventListener("htmx:afterSettle", () => {
    moved = true;
    settle();
  });
  document.addEventListener("focusout", () => setTimeout(settle));
  document.addEventListener("pointerover", (event) => {
    if (event.target.closest?.(".matches")) return;
    settle();
  });
  document.addEventListener("pointermove", () => {
    box = false;
  });
  document.addEventListener("keydown", (event) => {
    if (!event.target.closest?.("form[data-onebox]")) return;
    box = true;
    settle();
  });
})();
