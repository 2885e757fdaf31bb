// Clocks are deadlines: <span data-ends="2026-11-21T14:41:00+01:00" [data-starts="…"] [data-seconds] [data-quiet]
// data-left="# min left" data-last="…" data-over="…" data-waits="…"> gets the minutes that remain, or minutes and seconds,
// counted by the server's time. That is asked for where a page has a clock (data-time of this script's tag): when the page
// opens, comes back into view or online, and when an answer's Date says otherwise; a device's own time may be wrong.
// Silent, but for 10, 5 and 0 minutes, which are read out once where it is not data-quiet. <p data-until="…"> is empty from then on.
"use strict";
(() => {
  const MINUTE = 60000;
  const SPOKEN = [10, 5, 0];
  const NEAR = 2000; // ms: a Date header has whole seconds, and takes its time
  const QUICK = 500; // ms: an answer that cannot be off by more than half of it
  const address = document.currentScript.dataset.time;
  const spoken = new Set();
  let ahead = 0; // the server's clock minus the device's, in ms
  let asks = false;

  const now = () => Date.now() + ahead;

  // The answer was made between sending and receiving: of several slow ones the quickest is the nearest.
  async function measure() {
    if (!address || asks || !document.querySelector("[data-ends]")) return;
    asks = true;
    let best = Infinity;
    for (let n = 0; n < 3 && best > QUICK; n += 1) {
      const sent = Date.now();
      try {
        const answer = await fetch(address, { cache: "no-store" });
        const server = Number(await answer.text());
        const took = Date.now() - sent;
        if (!answer.ok || !server || took < 0 || took >= best) continue;
        best = took;
        ahead = server + took / 2 - Date.now();
      } catch {
        break; // offline: asked again when the network is back
      }
    }
    asks = false;
    tick(false);
  }

  function words(clock, left) {
    const { starts, seconds, over, last, waits } = clock.dataset;
    if (left <= 0) return over;
    if (starts && Date.parse(starts) > now()) return waits;
    if (seconds !== undefined) {
      const whole = Math.ceil(left / 1000);
      return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
    }
    return left < MINUTE ? last : clock.dataset.left.replace("#", String(Math.floor(left / MINUTE)));
  }

  const spokenWords = ({ dataset }, left, minutes) => (left <= 0 ? dataset.over : dataset.left.replace("#", String(minutes)));

  function tick(speak) {
    for (const clock of document.querySelectorAll("[data-ends]")) {
      const left = Date.parse(clock.dataset.ends) - now();
      if (Number.isNaN(left)) continue;
      const text = words(clock, left);
      if (clock.textContent !== text) clock.textContent = text;
      clock.classList.toggle("over", left <= 0);
      clock.classList.toggle("waits", text === clock.dataset.waits);
      const minutes = Math.max(0, Math.floor(left / MINUTE));
      const once = `${clock.dataset.ends} ${minutes}`;
      if (!SPOKEN.includes(minutes) || (minutes === 0 && left > 0) || spoken.has(once)) continue;
      spoken.add(once);
      const region = document.getElementById("announce");
      if (speak && region && !("quiet" in clock.dataset)) region.textContent = spokenWords(clock, left, minutes);
    }
  }

  function end() {
    for (const line of document.querySelectorAll("p[data-until]")) {
      if (line.textContent && Date.parse(line.dataset.until) <= now()) line.textContent = "";
    }
  }

  document.addEventListener("htmx:afterRequest", (event) => {
    const sent = Date.parse(event.detail.xhr?.getResponseHeader("Date") || "");
    if (Number.isNaN(sent) || Math.abs(sent - now()) < NEAR) return;
    if (address) measure();
    else ahead = sent - Date.now();
  });
  document.addEventListener("visibilitychange", () => document.hidden || measure());
  window.addEventListener("online", measure);
  document.addEventListener("htmx:load", () => tick(false));
  document.addEventListener("DOMContentLoaded", () => {
    tick(false);
    measure();
  });
  setInterval(() => {
    tick(true);
    end();
  }, 1000);
})();
