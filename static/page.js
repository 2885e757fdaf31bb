// What every page does by itself, in one file, so that a phone asks once: the hands' focus, live parts, clocks, what is
// sent, what there is without a network, and push. Each part can be read alone.
"use strict";

// Hands on the keyboard: focus survives a swap, and nothing fails in silence. First of all: its look at
// whole pages comes before anybody else's.
(() => {
  let audio = null;
  window.beep = (frequency = 330) => {
    try {
      audio ||= new AudioContext(); // silent until somebody has touched the page
      const sound = audio.createOscillator();
      sound.frequency.value = frequency;
      sound.connect(audio.destination);
      sound.start();
      sound.stop(audio.currentTime + 0.15);
    } catch {
      // no sound on this machine: the mark and the words say it too
    }
  };

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
})();

// Live parts of a page. An element
//   <section id="…" data-poll="/address/" data-v="12.40" [data-done] [data-announce="…"] [data-title="…"]
//     [data-notice="…" [data-until="2026-11-21T14:30:00Z"]] [data-every="5000"]>
// asks /address/?v=12.40 every 10–15 s, or every so many ms. 204: nothing changed, nothing is touched. 200: the answer
// replaces the element. With data-done it never asks again. A changed data-announce is read out once, and within
// [data-alarm] heard and felt; a changed data-title becomes the page's title, and data-notice is what the page's line of
// announcements (#notice) says. Polled parts hold no inputs; focus on a link inside stays on that link, and what was
// opened stays open.
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

  // The own page: heard and felt in a pocket, where the phone lets pages do that.
  function alarm() {
    window.beep(880);
    navigator.vibrate?.([200, 100, 200]);
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
    if (until) line.dataset.until = until; // the clock below empties it then
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
    if (now.dataset.announce !== announce) {
      say(now.dataset.announce);
      if (now.dataset.announce && now.closest("[data-alarm]")) alarm();
    }
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

// Clocks are deadlines: <span data-ends="2026-11-21T14:41:00+01:00" [data-starts="…"] [data-seconds] [data-quiet]
// data-left="# min left" data-last="…" data-over="…" data-waits="…"> gets the minutes that remain, or minutes and seconds,
// counted by the server's time. That is asked for where a page has a clock (data-time of this script's tag): when the page
// opens, comes back into view or online, and when an answer's Date says otherwise; a device's own time may be wrong.
// Silent, but for 10, 5 and 0 minutes, which are read out once where it is not data-quiet. <p data-until="…"> is empty from then on.
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
      const sent = performance.now(); // the device's clock may be set meanwhile
      try {
        const answer = await fetch(address, { cache: "no-store" });
        const server = Number(await answer.text());
        const took = performance.now() - sent;
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

// What a player reports is never lost on the way. A <form data-outbox> is kept on this phone until the server has answered,
// and sent again whenever the network is back: its key lets the server do it once, its round and opponent only in that match.
// Another report of the same match, typed before that answer, takes its place and is sent after it.
// <p id="outbox" role="status" hidden data-waits="Not saved yet: #1 …"> says that something still waits.
(() => {
  const PREFIX = "outbox ";
  const AGAIN = 5000; // ms
  const OURS = "main > #problem[data-lost], main.narrow > h1"; // of a page, and of an error page
  let sending = false;

  const line = () => document.getElementById("outbox"); // on pages of players who report
  const places = () => Object.keys(window.localStorage).filter((name) => name.startsWith(PREFIX));

  function show() {
    const here = line();
    if (!here) return;
    const words = places().map((place) => JSON.parse(window.localStorage.getItem(place)).words);
    here.hidden = !words.length;
    here.textContent = words.length ? here.dataset.waits.replace("#1", words.join(", ")) : "";
  }

  // The server's page in the place of this one: what it says of the form is there to read.
  function put(page) {
    document.querySelector("main").replaceWith(document.adoptNode(page.querySelector("main")));
    document.title = page.title;
    const main = document.querySelector("main");
    window.htmx.process(main);
    window.htmx.trigger(main, "htmx:load", { elt: main }); // so that its parts are polled
    main.querySelector("[role=alert]")?.scrollIntoView({ block: "center" });
  }

  async function send(place) {
    const kept = window.localStorage.getItem(place);
    const { body } = JSON.parse(kept);
    const path = place.slice(PREFIX.length);
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const answer = await fetch(path, { method: "POST", body, headers, credentials: "same-origin" });
    if (answer.status >= 500 || answer.status === 408) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!page.querySelector(OURS)) return; // a network's page to sign in, or a proxy's: it says nothing of the report
    if ((window.localStorage.getItem(place) ?? kept) !== kept) return send(place); // changed meanwhile: that counts
    window.localStorage.removeItem(place);
    if (answer.ok && window.location.pathname !== path) window.location.reload();
    else put(page);
  }

  async function sendAll() {
    if (sending || !line()) return;
    sending = true;
    for (const place of places()) await send(place).catch(() => {}); // no network: it stays, and is said to wait
    sending = false;
    show();
  }

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-outbox]");
    if (!form) return;
    event.preventDefault();
    const button = event.submitter;
    const fields = new URLSearchParams(new FormData(form));
    if (button?.name) fields.set(button.name, button.value);
    const words = (button?.textContent || "").trim();
    const place = PREFIX + new URL(form.action).pathname;
    const typed = fields.toString();
    if (JSON.parse(window.localStorage.getItem(place))?.typed !== typed) {
      fields.set("key", crypto.getRandomValues(new Uint32Array(4)).join(".")); // the page's one may have gone with another report
      window.localStorage.setItem(place, JSON.stringify({ body: fields.toString(), typed, words }));
    }
    show();
    sendAll();
  });
  window.addEventListener("online", sendAll);
  document.addEventListener("visibilitychange", () => document.hidden || sendAll());
  document.addEventListener("DOMContentLoaded", () => {
    show();
    sendAll();
    setInterval(sendAll, AGAIN);
  });
})();

// Without a network <p id="offline" role="status" hidden data-worker="/sw.js" data-words="No connection: as of #.">
// says as of when the page is. The worker that it names keeps the page for then, as its polls change it, where browsers
// let it: https.
(() => {
  const root = document.documentElement;
  const workers = window.isSecureContext && navigator.serviceWorker;
  let asOf = Number(root.dataset.asOf) || Date.now(); // of a kept page, as the worker says

  function show(line, words) {
    const time = new Date(asOf).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    const text = words.replace("#", time);
    line.hidden = !text;
    if (line.textContent !== text) line.textContent = text;
  }

  const keep = () => workers?.controller?.postMessage(root.outerHTML);

  document.addEventListener("htmx:afterRequest", (event) => {
    const { requestConfig, xhr } = event.detail;
    const line = document.getElementById("offline");
    if (!line || !("poll" in requestConfig.elt.dataset)) return;
    const live = xhr.status >= 200 && xhr.status < 300;
    if (live) {
      asOf = Date.now();
      delete root.dataset.asOf;
    }
    const lost = !live && xhr.status !== 404 && xhr.status !== 410; // taken down is not lost
    show(line, lost ? line.dataset.words : "");
    if (xhr.status === 200) keep();
  });
  document.addEventListener("DOMContentLoaded", () => {
    const line = document.getElementById("offline");
    if (!line) return;
    if ("asOf" in root.dataset) show(line, line.dataset.words);
    if (!workers) return;
    if (!workers.controller) workers.addEventListener("controllerchange", keep, { once: true });
    workers.register(line.dataset.worker, { scope: "/t/" }).catch(() => {}); // not allowed: the page works without it
  });
})();

// <td data-tick-all="Select everyone"> in the head of a table gets a box of that name, which ticks the boxes in its rows.
(() => {
  function fill() {
    for (const cell of document.querySelectorAll("[data-tick-all]:empty")) {
      const box = document.createElement("input");
      box.type = "checkbox";
      box.className = "tick-all";
      box.setAttribute("aria-label", cell.dataset.tickAll);
      box.addEventListener("change", () => {
        for (const one of cell.closest("table").querySelectorAll("tbody .tick input")) one.checked = box.checked;
      });
      cell.append(box);
    }
  }
  document.addEventListener("DOMContentLoaded", fill);
  document.addEventListener("htmx:afterSettle", fill);
})();

// Push: <form data-push="server's key" data-phones="endpoints that are subscribed" data-refused="…" hidden> with a button to subscribe
// and one to stop is shown where the browser can do it. All its fields named endpoint say which phone this is.
(() => {
  async function offer(form) {
    const [tell, stop] = form.querySelectorAll("button");
    const { pushManager } = await navigator.serviceWorker.ready;
    const subscribe = () => pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: form.dataset.push });
    let phone = await pushManager.getSubscription();

    function fill() {
      const { endpoint, keys } = phone.toJSON();
      for (const field of document.querySelectorAll("input[name=endpoint]")) field.value = endpoint;
      for (const name of ["p256dh", "auth"]) form.elements[name].value = keys[name];
    }

    if (phone) fill();
    stop.hidden = !phone || !form.dataset.phones.split(" ").includes(phone.endpoint);
    tell.hidden = !stop.hidden;
    form.hidden = false;
    tell.addEventListener("click", async (event) => {
      event.preventDefault();
      try {
        await Notification.requestPermission();
        // Made for an earlier key of the server: it has to go first.
        phone = await subscribe().catch(async () => (await phone.unsubscribe()) && subscribe());
        fill();
        form.submit();
      } catch {
        document.getElementById("problem").textContent = form.dataset.refused;
      }
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("form[data-push]");
    if (form && window.isSecureContext && "PushManager" in window) offer(form);
  });
})();

// A double click sends a form once: its second answer would find nothing left to do.
(() => {
  const sent = new WeakMap();
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented || event.target.method !== "post") return; // sent by a script, or a search
    if (event.timeStamp - sent.get(event.target) < 2000) event.preventDefault();
    else sent.set(event.target, event.timeStamp);
  });
})();
