// Lists under the hand, such as the order of tiebreaks: <ol data-moved="# is now line %p of %n"> of <li data-step data-title="…">,
// each with a .handle (drag it, or arrow keys while it has the focus; Escape puts a dragged line back) and buttons
// data-move="-1" and "1". The hidden ORDER field of each line, where it has one, gets its new place. What is moved is
// announced; the form hears "change". Another metric in a line asks the server for that metric's fields.
// Below it: faults that the preview names are marked at their fields.
"use strict";
(() => {
  const lineOf = (element) => element.closest && element.closest("[data-step]");

  function tell(line) {
    const list = line.parentElement;
    const lines = Array.from(list.children);
    lines.forEach((other, place) => {
      const field = other.querySelector("[name$='-ORDER']");
      if (field) field.value = place + 1;
    });
    const words = list.dataset.moved
      .replace("#", line.dataset.title)
      .replace("%p", String(lines.indexOf(line) + 1))
      .replace("%n", String(lines.length));
    const region = document.getElementById("announce");
    if (region) region.textContent = words;
    line.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function step(line, by, focused) {
    const other = by < 0 ? line.previousElementSibling : line.nextElementSibling;
    if (other) other[by < 0 ? "before" : "after"](line);
    focused.focus();
    tell(line);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest && event.target.closest("[data-step] [data-move]");
    if (!button) return;
    event.preventDefault();
    step(lineOf(button), Number(button.dataset.move), button);
  });

  document.addEventListener("keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !event.target.matches(".handle")) return;
    event.preventDefault();
    step(lineOf(event.target), by, event.target);
  });

  // --- by pointer -----------------------------------------------------------------------------------------
  let dragged = null; // { line, handle, next: where it stood }
  document.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest && event.target.closest(".handle");
    if (!handle || event.button !== 0) return;
    const line = lineOf(handle);
    dragged = { line, handle, next: line.nextElementSibling };
    handle.setPointerCapture(event.pointerId);
    line.classList.add("moving");
  });
  document.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const { line } = dragged;
    const middle = (other) => other.getBoundingClientRect().top + other.offsetHeight / 2;
    const { previousElementSibling: above, nextElementSibling: below } = line;
    if (above && event.clientY < middle(above)) above.before(line);
    else if (below && event.clientY > middle(below)) below.after(line);
  });
  function drop(back) {
    if (!dragged) return;
    const { line, handle, next } = dragged;
    dragged = null;
    line.classList.remove("moving");
    if (back) line.parentElement.insertBefore(line, next);
    else if (line.nextElementSibling !== next) tell(line);
    handle.focus();
  }
  document.addEventListener("pointerup", () => drop(false));
  document.addEventListener("pointercancel", () => drop(true));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") drop(true);
  });

  // --- another metric has other settings ------------------------------------------------------------------
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-step] select[name$='-metric']")) window.htmx?.trigger("#order", "arrange");
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    const { id } = event.detail.target;
    const part = id && document.getElementById(id);
    if (part?.querySelector("[name$='-TOTAL_FORMS']")) part.dispatchEvent(new Event("change", { bubbles: true }));
    if (id !== "preview") return;
    for (const field of document.querySelectorAll(".is-invalid")) {
      field.classList.remove("is-invalid");
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-errormessage");
    }
    for (const link of document.querySelectorAll("[data-fault]")) {
      const field = document.getElementById(link.dataset.fault);
      if (!field) continue;
      link.parentElement.id = `fault-${link.dataset.fault}`;
      for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      field.classList.add("is-invalid");
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-errormessage", link.parentElement.id);
    }
  });
})();
