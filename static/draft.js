// Two players of a draft change places: choose one name, then the other (click, Enter or touch), or drag one onto the
// other. The first one fills in the forms of #tools; the form #swap then asks what that would do. Nothing is done here: the answer holds the form that does it.
"use strict";
(() => {
  const form = () => document.getElementById("swap");
  const picks = () => Array.from(document.querySelectorAll("button.pick"));
  const nameOf = (button) => button.firstElementChild.textContent;
  const tools = () => document.getElementById("tools");
  let chosen = null;

  function say(text) {
    const region = document.getElementById("announce");
    if (region) region.textContent = text;
  }

  function choose(button) {
    for (const other of picks()) other.removeAttribute("aria-pressed");
    chosen = button;
    if (!button) return;
    button.setAttribute("aria-pressed", "true");
    tools().open = true;
    for (const field of tools().querySelectorAll("input:is([name=player], [name=a]):not([type=hidden])")) field.value = nameOf(button);
    say(tools().dataset.chosen.replace("#", nameOf(button)));
  }

  function ask(one, other) {
    const fields = form().elements;
    fields.namedItem("a").value = nameOf(one);
    fields.namedItem("b").value = nameOf(other);
    choose(null);
    form().requestSubmit();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button.pick");
    if (!button || !window.htmx) return;
    event.preventDefault();
    if (chosen && chosen !== button) ask(chosen, button);
    else choose(chosen === button ? null : button);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !chosen) return;
    choose(null);
    say("");
  });

  document.addEventListener("DOMContentLoaded", () => {
    if (!window.htmx) return;
    for (const button of picks()) button.draggable = true;
  });

  // After a change by hand the page comes back at its row, the focus with it; what was done is heard too.
  window.addEventListener("load", () => {
    const done = document.querySelector("#messages > .notice.good");
    if (location.hash && done) say(done.textContent);
  });
  document.addEventListener("dragstart", (event) => {
    const button = event.target.closest?.("button.pick");
    if (!button) return;
    event.dataTransfer.setData("text/plain", button.value);
    event.dataTransfer.effectAllowed = "move";
    choose(button);
  });
  document.addEventListener("dragover", (event) => {
    const button = event.target.closest?.("button.pick");
    if (!chosen || !button || button === chosen) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
  });
  document.addEventListener("drop", (event) => {
    const button = event.target.closest?.("button.pick");
    if (!chosen || !button || button === chosen) return;
    event.preventDefault();
    ask(chosen, button);
  });
  document.addEventListener("dragend", () => choose(null));

  // The answer is what to look at next, for eyes and for ears.
  document.addEventListener("htmx:afterSettle", (event) => {
    const answer = event.detail.target;
    if (!answer || answer.id !== "swap-answer") return;
    answer.querySelector("[data-focus]")?.focus();
    answer.scrollIntoView({ block: "nearest" });
  });
})();
