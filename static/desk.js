// Hands on the keyboard: focus survives a swap, the one box takes the next line while the last is being saved, and
// nothing fails in silence. Loaded first on every page: its look at whole pages comes before anybody else's.
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
    const { target, xhr } = event.detail;
    if (target === document.body || !/^\s*<!doctype/i.test(xhr.responseText)) return;
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

  // --- the one box: <form data-onebox> whose answer goes elsewhere; the text comes back if it was refused ------
  const box = (form) => form.querySelector("input[type=text], input:not([type])");
  document.addEventListener("htmx:beforeRequest", (event) => {
    const form = event.detail.elt;
    if (!form.matches || !form.matches("form[data-onebox]")) return;
    form.dataset.sent = box(form).value;
    box(form).value = "";
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const form = event.detail.elt;
    if (!form.matches || !form.matches("form[data-onebox]")) return;
    const status = event.detail.xhr ? event.detail.xhr.status : 0;
    const input = box(form);
    if ((status < 200 || status >= 300) && input && !input.value) {
      input.value = form.dataset.sent;
      input.select();
    }
    if (input && (!document.activeElement || document.activeElement === document.body)) input.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.closest?.("form[data-onebox]")) event.target.value = "";
  });
})();
