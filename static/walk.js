// Walking the list: <div data-walk> with a form of keys (button[data-key]) and <ol class="walk-list"> of the tables.
// - Up and Down move; a key enters its result at the table at hand and goes on to the next without one.
// - Keys wait for their turn while one is being saved. An error stops the queue: what waited is not sent, the table
//   that failed is at hand again, marked, with the reason in #walk-why. Another result there: the same key replaces it.
// - Keys that come as fast as a scanner types, with a slip's code and Enter, open that slip's table.
"use strict";
(() => {
  const walk = document.querySelector("[data-walk]");
  const form = walk && walk.querySelector("form.keypad");
  if (!form) return;
  const GAP = 50; // ms within which a scanner types its next character, and no hand its next result
  const ASK = 400; // ms that a question must have stood before the same key answers it
  const CODE = /^\d{1,4}-\d{1,5}-\w\w$|\/rounds\/\d+\/tables\/\d+\/code\/\w\w\/?$/i;
  const list = walk.querySelector(".walk-list");
  const why = () => document.getElementById("walk-why");
  const row = (table) => document.getElementById(`walk-${table}`);
  const rows = () => Array.from(list.children);
  const button = (key) => form.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const queue = []; // {table, key}, or {code}
  let busy = false;
  let question = null; // {table, key, since}: the table has another result
  let typed = "";
  let timer = 0;

  const hand = () => list.querySelector("[aria-current]") || list.firstElementChild;

  function take(item, quiet = false) {
    for (const other of list.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    item.setAttribute("aria-current", "true");
    if (!quiet) item.scrollIntoView({ block: "nearest" });
    const { table, version } = item.dataset;
    form.elements.table.value = table;
    form.elements.version.value = version;
    const words = document.getElementById("walk-hand");
    words.querySelector("b").textContent = item.querySelector(".no").textContent;
    words.querySelector("[data-hand]").replaceWith(item.querySelector("[data-hand]").cloneNode(true));
    const box = walk.querySelector("[data-box]");
    box.href = box.href.replace(/line=\d+/, `line=${table}`);
  }

  function next(item) {
    const all = rows();
    const at = all.indexOf(item);
    const open = (each) => each.matches(".out:not(.sent)");
    return all.slice(at + 1).find(open) || all.slice(0, at).find(open);
  }

  function move(step) {
    question = null;
    const item = step > 0 ? hand().nextElementSibling : hand().previousElementSibling;
    if (item) take(item);
  }

  function press(key) {
    const item = hand();
    const { table } = item.dataset;
    const again = question && question.table === table && question.key === key;
    if (again && performance.now() - question.since < ASK) return;
    why().replaceChildren();
    item.classList.remove("failed");
    item.classList.add("sent");
    queue.push({ table, key, replace: again });
    question = null;
    const following = next(item);
    if (following) take(following);
    send();
  }

  function say(look, words) {
    why().replaceChildren(Object.assign(document.createElement("p"), { className: `notice ${look}`, textContent: words }));
  }

  function stop(table, words) {
    for (const each of queue.splice(0)) row(each.table)?.classList.remove("sent");
    if (words) say("error", words);
    if (row(table)) {
      row(table).classList.remove("sent");
      row(table).classList.add("failed");
      take(row(table));
    }
    window.beep();
  }

  // Each part of an answer takes the place of the one with its id.
  function place(html) {
    const parts = document.createElement("template");
    parts.innerHTML = html;
    const at = hand().dataset.table;
    for (const part of Array.from(parts.content.children)) {
      part.removeAttribute("hx-swap-oob");
      document.getElementById(part.id)?.replaceWith(part);
      window.htmx.process(part);
    }
    for (const each of queue) row(each.table)?.classList.add("sent");
    if (row(at) && !list.querySelector("[aria-current]")) take(row(at));
    if (document.activeElement === document.body) walk.focus({ preventScroll: true });
  }

  async function send() {
    if (busy || !queue.length) return;
    const { table, key, replace, code } = queue[0];
    if (code) {
      window.location.assign(`?code=${encodeURIComponent(code)}`);
      return;
    }
    busy = true;
    let answered = false;
    const body = new FormData(form);
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    body.set("key", Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
    body.set("table", table);
    body.set("version", row(table).dataset.version);
    body.set("seen", document.getElementById("walk-count").dataset.v);
    body.set("slip", button(key).value);
    if (replace) body.set("replace", "on");
    const lost = document.getElementById("problem").dataset;
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" } });
      const html = await answer.text();
      queue.shift();
      answered = answer.ok;
      if (answered) place(html);
      else if (html.includes('id="walk-why"')) {
        place(html);
        if (answer.status === 409) question = { table, key, since: performance.now() };
        stop(table);
      } else stop(table, new DOMParser().parseFromString(html, "text/html").body.textContent.trim() || lost.failed);
    } catch {
      stop(table, lost.lost);
    }
    busy = false;
    if (queue.length) send();
    else if (answered && !list.querySelector(".out")) say("good", walk.dataset.done);
  }

  function flush() {
    const keys = typed;
    typed = "";
    if (!keys) return;
    if (Array.from(keys).every(button)) Array.from(keys).forEach(press);
    else if (keys.length > 3 || /[0-9]/.test(keys)) stop(hand().dataset.table, walk.dataset.unknown);
  }

  walk.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
    clearTimeout(timer);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      flush();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && CODE.test(typed)) {
      event.preventDefault();
      queue.push({ code: typed });
      typed = "";
      send();
    } else if (event.key.length === 1 && event.key !== " " && !event.repeat) {
      typed += event.key;
      timer = setTimeout(flush, GAP);
    } else timer = setTimeout(flush, GAP);
  });
  form.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-key]");
    if (!pressed) return;
    event.preventDefault();
    press(pressed.dataset.key);
  });
  list.addEventListener("click", (event) => {
    const item = event.target.closest("li");
    if (!item) return;
    event.preventDefault();
    question = null;
    take(item);
    walk.focus({ preventScroll: true });
  });
  walk.focus({ preventScroll: true });
  take(hand(), true);
})();
