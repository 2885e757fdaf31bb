// Hands on the keyboard: focus survives a swap, and nothing fails in silence. Loaded first on every page: its look at
// whole pages comes before anybody else's.
"use strict";
(() => {
  const problem = () => document.getElementById("problem");

  // A poll that fails is tried again by itself (and its part says that it is not live); everything else is said.
  function complain(kind, event) {
    if (event && "poll" in (event.detail.elt.dataset || {})) return;
    const region = problem();
    if (region) region.textContent = region.dataset[kind];
  }

  // --- a whole page where a part was asked for: signed out meanwhile, or an error page -----------------------
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { elt, target, xhr } = event.detail;
    if (xhr.status >= 400 && "poll" in (elt.dataset || {})) event.detail.shouldSwap = false; // it says so itself
    if (target === document.body || !/^\s*<!doctype/i.test(xhr.responseText)) return;
    const part = event.detail.requestConfig.elt.getAttribute("hx-select"); // what was asked for is a part of that page
    if (part && xhr.responseText.includes(`id="${part.slice(1)}"`)) return;
    event.detail.shouldSwap = false;
    if (xhr.status < 400) window.location.assign(xhr.responseURL);
    else complain("failed", event);
  });
  document.addEventListener("htmx:sendError", (event) => complain("lost", event));
  document.addEventListener("htmx:timeout", (event) => complain("lost", event));
  document.addEventListener("htmx:responseError", (event) => complain("failed", event));
  document.addEventListener("htmx:afterRequest", (event) => {
    const { elt, xhr } = event.detail;
    const fine = xhr && xhr.status >= 200 && xhr.status < 300;
    const region = problem();
    if (fine && region && !("poll" in (elt.dataset || {}))) region.textContent = "";
  });

  // --- focus stays on the control of the same name in the row that was swapped -------------------------------
  let kept = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const focused = document.activeElement;
    const { target, shouldSwap } = event.detail;
    if (!shouldSwap || !focused || !target.contains(focused) || target === document.body) return;
    const value = focused.type === "submit" || focused.type === "radio" ? focused.value : null;
    kept = { row: target.id, id: focused.id, name: focused.name, value };
  });
  document.addEventListener("htmx:afterSettle", () => {
    if (!kept) return;
    const { row, id, name, value } = kept;
    kept = null;
    if (document.activeElement && document.activeElement !== document.body) return;
    const place = document.getElementById(row);
    if (!place) return;
    const same = Array.from(place.querySelectorAll("[name]")).filter((control) => control.name === name);
    const found =
      (id && place.querySelector(`#${CSS.escape(id)}`)) ||
      (name && (same.find((control) => value === null || control.value === value) || same[0])) ||
      place.querySelector("button, input:not([type=hidden]), select, a[href]");
    if (found) found.focus({ preventScroll: true });
  });

  // --- steps of an event in one line: the current one with its neighbours, the last ones of a finished event --
  document.addEventListener("DOMContentLoaded", () => {
    const line = document.querySelector(".event-steps-line");
    if (!line) return;
    const now = line.querySelector(".now"); // it sticks to the edge: its neighbour says where it belongs
    const before = now && now.previousElementSibling;
    line.scrollLeft = now ? (before ? before.offsetLeft : 0) : line.scrollWidth;
  });
})();
