// The worker of an event's pages, where there is https: it keeps what this phone opened last (own page, pairings, standings,
// players, with their sheets and scripts) and gives that when the network does not answer. Nothing else passes through it.
"use strict";
const KEPT = "kept";
const MOST = 100; // pages and files; those that were written first go first
const PATIENCE = 4000; // ms: a hall's network may hang for a minute
const AS_OF = "X-As-Of";
const PAGES = /^\/t\/[^/]+\/(me\/(\w+\/)?|players\/\w+\/|rounds\/\d+\/|standings\/)?$/;
const SHELL = /^\/(static|logo)\//;
const FORGET = /^\/t\/[^/]+\/me\/\w+\/forget\/$/;
const HEADERS = { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "default-src 'self'; img-src * data:" };

async function keep(request, answer) {
  const cache = await caches.open(KEPT);
  if (answer.status === 404) await cache.delete(request); // taken down, or no longer this phone's
  if (!answer.ok) return;
  const headers = new Headers(answer.headers);
  headers.set(AS_OF, Date.now());
  await cache.put(request, new Response(await answer.blob(), { headers }));
  for (const old of (await cache.keys()).slice(0, -MOST)) await cache.delete(old);
}

// What a page became by its polls, or was when this worker came to it; with the files that it loaded before.
async function keepShown(address, html) {
  if (!PAGES.test(new URL(address).pathname)) return;
  await keep(address, new Response(`<!doctype html>${html}`, { headers: HEADERS }));
  for (const [, file] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
    if (SHELL.test(file) && !(await caches.match(file))) await keep(file, await fetch(file));
  }
}

// The kept answer; a page says on its <html> as of when it is.
async function kept(request) {
  const answer = await caches.match(request, { ignoreVary: true });
  if (!answer || request.mode !== "navigate") return answer;
  const html = await answer.text();
  return new Response(html.replace("<html", `<html data-as-of="${answer.headers.get(AS_OF)}"`), { headers: answer.headers });
}

// A notification opens the own page, or brings it to the front.
async function open(address) {
  const pages = await self.clients.matchAll({ type: "window" });
  const page = pages.find((each) => new URL(each.url).pathname === address);
  return page ? page.focus() : self.clients.openWindow(address);
}

self.addEventListener("push", (event) => {
  const { title, body, url, icon } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, icon, tag: url, renotify: true, data: url }));
});
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", (event) => event.waitUntil(keepShown(event.source.url, event.data)));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin) return;
  if (request.method === "POST" && FORGET.test(pathname)) {
    event.respondWith(caches.delete(KEPT).then(() => fetch(request)));
  } else if (request.method === "GET" && (request.mode === "navigate" ? PAGES : SHELL).test(pathname)) {
    const fresh = fetch(request);
    const instead = async () => (await kept(request)) || fresh;
    event.waitUntil(fresh.then((answer) => keep(request, answer.clone())).catch(() => {}));
    event.respondWith(Promise.race([fresh.catch(instead), new Promise((late) => setTimeout(late, PATIENCE)).then(instead)]));
  }
});
