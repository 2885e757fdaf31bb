// Live parts of a page. An element
//   <section id="…" data-poll="/address/" data-v="12.40" [data-done] [data-announce="…"] [data-title="…"]
//     [data-notice="…" [data-until="2026-11-21T14:30:00Z"]] [data-every="5000"]>
// asks /address/?v=12.40 every 10–15 s, or every so many ms. 204: nothing changed, nothing is touched. 200: the answer replaces the
// element. With data-done it never asks again. A changed data-announce is read out once, a changed data-title
// becomes the page's title, and data-notice is what the page's line of announcements (#notice) says. Polled parts hold no inputs; focus on a link inside stays on that link, and what was opened stays open.
"use strict";
(() => {
  const PERIOD = 10000;
  const JITTER = 5000; // a hall of phones must not ask in step
  const HIDDEN = 60000;
  const LONGEST = 120000;
  const timers = new WeakMap();
  const failures = new Map(); // by address: how often in a row it did not answer

  function period(element) {
    const failed = failures.get(element.dataset.poll) || 0;
    const every = Number(element.dataset.every); // the few screens of a hall: soon, and soon again
    const base = every ? Math.min(every * 2 ** failed, PERIOD) : Math.min(PERIOD * 2 ** failed, LONGEST);
    return Math.max(base, document.hidden ? HIDDEN : 0) + Math.random() * (every ? every / 5 : JITTER);
  }

  function plan(element, delay) {
    clearTimeout(timers.get(element));
    if ("done" in element.dataset) return;
    timers.set(element, setTimeout(() => ask(element), delay === undefined ? period(element) : delay));
  }

  function ask(element) {
    if (!element.isConnected) return;
    const address = new URL(element.dataset.poll, window.location.href);
    address.searchParams.set("v", element.dataset.v || "");
    const path = address.pathname + address.search;
    // The outcome is read from the events below; a refused promise says nothing new.
    window.htmx.ajax("GET", path, { source: element, target: element, swap: "outerHTML" }).catch(() => {});
  }

  function all(root) {
    const inside = Array.from(root.querySelectorAll ? root.querySelectorAll("[data-poll]") : []);
    return root.matches && root.matches("[data-poll]") ? [root, ...inside] : inside;
  }

  function say(text) {
    const region = document.getElementById("announce");
    if (region && text) region.textContent = text;
  }

  // What to find again after a swap: by id, else by address, within the part that is replaced.
  function handle(element) {
    const focused = document.activeElement;
    if (!focused || focused === element || !element.contains(focused)) return null;
    if (focused.id) return `#${CSS.escape(focused.id)}`;
    const href = focused.getAttribute("href");
    return href ? `a[href="${CSS.escape(href)}"]` : null;
  }

  function notice({ notice, until }) {
    const line = document.getElementById("notice");
    if (!line || notice === undefined) return;
    if (until) line.dataset.until = until; // clock.js empties it then
    else delete line.dataset.until;
    if (line.textContent !== notice) line.textContent = notice;
  }

  let before = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const target = event.detail.target;
    if (target.dataset && "poll" in target.dataset && event.detail.shouldSwap) {
      const { announce, title } = target.dataset;
      const open = Array.from(target.querySelectorAll("details"), (details) => details.open);
      before = { id: target.id, focus: handle(target), open, announce, title };
    }
  });

  document.addEventListener("htmx:afterSettle", () => {
    if (!before) return;
    const { id, focus, open, announce, title } = before;
    before = null;
    const now = document.getElementById(id);
    if (!now) return;
    now.querySelectorAll("details").forEach((details, place) => (details.open = open[place] ?? details.open));
    if (focus) now.querySelector(focus)?.focus({ preventScroll: true });
    if (now.dataset.announce !== announce) say(now.dataset.announce);
    notice(now.dataset);
    if (now.dataset.title && now.dataset.title !== title) document.title = now.dataset.title;
  });

  document.addEventListener("htmx:afterRequest", (event) => {
    const element = event.detail.elt;
    if (!element.dataset || !("poll" in element.dataset)) return;
    const status = event.detail.xhr ? event.detail.xhr.status : 0;
    if (status >= 200 && status < 300) {
      failures.delete(element.dataset.poll);
      element.removeAttribute("data-stale");
    } else if (status === 404 || status === 410) {
      return; // taken down: stop asking
    } else {
      failures.set(element.dataset.poll, (failures.get(element.dataset.poll) || 0) + 1);
      element.setAttribute("data-stale", ""); // shows its .live-off and hides its .live-on
    }
    plan(element); // a replaced element is planned by onLoad; this timer then finds it gone
  });

  function soon() {
    if (document.hidden) return;
    for (const element of all(document)) plan(element, Math.random() * 1500);
  }
  document.addEventListener("visibilitychange", soon);
  window.addEventListener("online", soon);

  document.addEventListener("DOMContentLoaded", () => {
    if (!window.htmx) return;
    window.htmx.onLoad((root) => {
      for (const element of all(root)) plan(element);
    });
    for (const element of all(document)) plan(element);
  });
})();
