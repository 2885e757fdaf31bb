// What a player reports is never lost on the way. A <form data-outbox> is kept on this phone until the server has answered,
// and sent again whenever the network is back: its key lets the server do it once, its round and opponent only in that match.
// <p id="outbox" role="status" hidden data-waits="Not saved yet: #1 …"> says that something still waits.
"use strict";
(() => {
  const PREFIX = "outbox ";
  const AGAIN = 5000; // ms
  let sending = false;

  const places = () => Object.keys(window.localStorage).filter((name) => name.startsWith(PREFIX));

  function show() {
    const line = document.getElementById("outbox");
    if (!line) return;
    const words = places().map((place) => JSON.parse(window.localStorage.getItem(place)).words);
    line.hidden = !words.length;
    line.textContent = words.length ? line.dataset.waits.replace("#1", words.join(", ")) : "";
  }

  // The server's page in the place of this one: what it says of the form is there to read.
  function put(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const fresh = page.querySelector("main");
    if (!fresh) return;
    document.querySelector("main").replaceWith(document.adoptNode(fresh));
    document.title = page.title;
    const main = document.querySelector("main");
    window.htmx.process(main);
    window.htmx.trigger(main, "htmx:load", { elt: main }); // so that its parts are polled
    main.querySelector("[role=alert]")?.scrollIntoView({ block: "center" });
  }

  async function send(place) {
    const { body } = JSON.parse(window.localStorage.getItem(place));
    const path = place.slice(PREFIX.length);
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const answer = await fetch(path, { method: "POST", body, headers, credentials: "same-origin" });
    if (answer.status >= 500 || answer.status === 429) return;
    const html = await answer.text();
    window.localStorage.removeItem(place);
    if (answer.ok && window.location.pathname !== path) window.location.reload();
    else put(html);
  }

  async function sendAll() {
    if (sending) return;
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
    const path = new URL(form.action).pathname;
    window.localStorage.setItem(PREFIX + path, JSON.stringify({ body: fields.toString(), words }));
    show();
    sendAll();
  });
  window.addEventListener("online", sendAll);
  document.addEventListener("visibilitychange", () => document.hidden || sendAll());
  document.addEventListener("DOMContentLoaded", () => {
    show();
    sendAll();
    setInterval(() => places().length && sendAll(), AGAIN);
  });
})();
