// What the ways to enter results share.
// - Escape in an empty box, or where there is none, follows the link [data-leave]: back to the one box.
// - A line that was refused, or that differs (an answer with [data-beep]), is heard.
// - What was verified stays in this tab, so that a reload loses none of it; [data-start-again] forgets it.
"use strict";
(() => {
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!event.detail.elt.matches?.("form[data-onebox]")) return;
    if (!event.detail.successful || document.querySelector("#saved [data-beep]")) window.beep();
  });
  // In the capturing phase: the box is still as it was when Escape was pressed.
  document.addEventListener(
    "keydown",
    (event) => {
      const link = document.querySelector("[data-leave]");
      const typed = event.target.matches("input, textarea") && event.target.value;
      if (event.key !== "Escape" || !link || typed) return;
      event.preventDefault();
      link.click();
    },
    true,
  );

  const place = `verified ${window.location.pathname}`;
  const lines = () => document.querySelector("#verified [name=lines]");
  document.addEventListener("htmx:afterSettle", () => {
    if (lines()) window.sessionStorage.setItem(place, lines().value);
  });
  document.addEventListener("DOMContentLoaded", () => {
    const earlier = window.sessionStorage.getItem(place);
    const form = document.getElementById("box");
    if (!earlier || !form || !lines() || lines().value) return;
    lines().value = earlier;
    window.htmx.ajax("POST", form.action, { source: form, target: "#saved" }).catch(() => {});
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-start-again]")) return;
    window.sessionStorage.removeItem(place);
    window.location.reload();
  });
})();
