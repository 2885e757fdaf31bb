// Rows that come in from other desks: never over a row that is being edited, and focus stays where it was.
// Enter in the empty box goes to the next table that is out.
"use strict";
(() => {
  let kept = null;
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const { target } = event.detail;
    if (!target || !target.id) return;
    if ("editing" in target.dataset) {
      event.detail.shouldSwap = false;
      return;
    }
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

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("form[data-onebox] input[type=text]")) return;
    if (event.target.value.trim()) return;
    event.preventDefault();
    const next = document.querySelector(".match.out button");
    if (!next) return;
    next.focus();
    next.closest(".match").scrollIntoView({ block: "nearest" });
  });
})();
