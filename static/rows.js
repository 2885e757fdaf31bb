// The lists of a round: <ul id="outstanding"> and <ul id="entered">, a row a table (li#match-12.match, .out or .in).
// Rows come in from other desks: never over a row that is being edited, and focus stays where it was. A row in the
// wrong list goes over to the right one at once, but never under a pointer or a finger: while one is in a list, or
// the focus is, its rows stay where they are, marked, until it leaves or the box is used.
"use strict";
(() => {
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

  // --- each row in its list ----------------------------------------------------------------------------------
  const table = (row) => Number(row.id.slice("match-".length)) || Infinity; // without a table: last

  function settle() {
    for (const row of document.querySelectorAll(".matches > .match.out, .matches > .match.in")) {
      const home = document.getElementById(row.classList.contains("out") ? "outstanding" : "entered");
      const list = row.parentElement;
      if (!home || !row.id || list === home || list.querySelector(":focus-visible")) continue;
      if (!box && (list.matches(":hover") || home.matches(":hover"))) continue;
      const next = Array.from(home.children).find((other) => other.matches(".match") && table(other) > table(row));
      home.insertBefore(row, next || null);
    }
  }
  document.addEventListener("htmx:afterSettle", settle);
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
