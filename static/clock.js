// Clocks are deadlines: <span data-ends="2026-11-21T14:41:00+01:00" data-left="# min left" data-last="…" data-over="…">
// gets the minutes that remain, counted by the server's time as the last answer told it. Silent, but for 10, 5 and
// 0 minutes, which are read out once. <p data-until="…"> is empty from then on.
"use strict";
(() => {
  const MINUTE = 60000;
  const SPOKEN = [10, 5, 0];
  const spoken = new Set();
  let ahead = 0; // the server's clock minus the device's, in ms

  function words(clock, left) {
    if (left <= 0) return clock.dataset.over;
    if (left < MINUTE) return clock.dataset.last;
    return clock.dataset.left.replace("#", String(Math.floor(left / MINUTE)));
  }

  function tick(speak) {
    for (const clock of document.querySelectorAll("[data-ends]")) {
      const left = Date.parse(clock.dataset.ends) - (Date.now() + ahead);
      if (Number.isNaN(left)) continue;
      const text = words(clock, left);
      if (clock.textContent !== text) clock.textContent = text;
      clock.classList.toggle("over", left <= 0);
      const minutes = Math.max(0, Math.floor(left / MINUTE));
      const once = `${clock.dataset.ends} ${minutes}`;
      if (!SPOKEN.includes(minutes) || (minutes === 0 && left > 0) || spoken.has(once)) continue;
      spoken.add(once);
      const region = document.getElementById("announce");
      if (speak && region) region.textContent = text;
    }
  }

  function end() {
    for (const line of document.querySelectorAll("p[data-until]")) {
      if (line.textContent && Date.parse(line.dataset.until) <= Date.now() + ahead) line.textContent = "";
    }
  }

  document.addEventListener("htmx:afterRequest", (event) => {
    const sent = Date.parse(event.detail.xhr?.getResponseHeader("Date") || "");
    if (!Number.isNaN(sent)) ahead = sent - Date.now();
  });
  document.addEventListener("htmx:load", () => tick(false));
  document.addEventListener("DOMContentLoaded", () => tick(false));
  setInterval(() => {
    tick(true);
    end();
  }, 1000);
})();
