// The one box of the desk, and that of the check-in: <form data-onebox hx-sync="this:queue all"> whose answer goes elsewhere.
// - Each line is taken at Enter and sent in its turn, however fast they come; the box is free at once. A refused line
//   comes back into the box, or where the next is being typed already, or is typed over it, into the list <ul data-unsaved>.
//   A beep tells those who look at the slips.
// - A line that met another result (409) replaces that one when it is sent once more as it came back.
// - As a line is typed, <output id="understood"> says who plays there and what it means: the server reads it.
// - Enter in the empty box names the next outstanding table in the box, after the last one that this desk typed or named. It
//   never leaves the box. The server takes a whole line typed behind that name by itself.
// - The answer to the code of a slip names its table (event "put-line"); a result typed or sent meanwhile belongs to it.
"use strict";
(() => {
  const ASK = 400; // ms that a question must have stood before Enter answers it: a second Enter by haste is none
  const PAUSE = 50; // ms without a key before a line is read: a scanner's keys are one line
  const onebox = (form) => form && form.matches && form.matches("form[data-onebox]");
  const box = (form) => form.querySelector("input[type=text], input[type=search], input:not([type])");
  const waiting = new WeakMap();
  const lines = (form) => waiting.get(form) || waiting.set(form, []).get(form);
  const sent = new WeakMap(); // the line of a form that is on its way
  let question = null; // {line, since, seen}: a line that came back because the table has another result, at that revision
  let refused = null; // {line, why}: a line that came back and was not touched since

  function ask(form, line, seen) {
    question = line === null ? null : { line, since: performance.now(), seen };
    form.toggleAttribute("data-question", line !== null);
  }

  function listRefused({ line, why }) {
    const text = why ? `${line}: ${why}` : line;
    document.querySelector("[data-unsaved]")?.append(Object.assign(document.createElement("li"), { textContent: text }));
  }

  // Whether one change in one place makes the text of the line; else another was typed over it.
  function corrects(text, line) {
    const least = Math.min(text.length, line.length);
    let same = 0;
    while (same < least && text[same] === line[same]) same++;
    let end = 0;
    while (end < least - same && text.at(-1 - end) === line.at(-1 - end)) end++;
    return Math.abs(text.length - line.length) < 2 && same + end > 0 && same + end >= least - 1;
  }

  let named = 0; // the last table that was typed or named
  let offer = null; // {table, text}: the table that Enter in the empty box named there, and the text it wrote

  function put(input, text, offered = null) {
    offer = offered;
    input.value = text;
    understand(input);
  }

  // The line in the box: what is sent, and the table that was offered before it.
  function lineIn({ value }) {
    const typed = offer && value.startsWith(offer.text) ? value.slice(offer.text.length).trim() : "";
    return typed ? { shown: value, text: typed, offer } : { shown: value, text: value, offer: null };
  }

  // --- what a line means: the server reads it as it will when it is sent ------------------------------------
  let asked = null;
  async function understand(input) {
    const output = document.getElementById("understood");
    if (!output) return;
    asked?.abort();
    const { signal } = (asked = new AbortController());
    const { text, offer } = refused ? { text: "" } : lineIn(input); // what was refused has been said
    let reading = "";
    if (text.trim()) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      if (signal.aborted) return;
      const query = new URLSearchParams({ text, line: offer ? offer.table : "" });
      const answer = await fetch(`${input.form.action}reading/?${query}`, { signal, headers: { "HX-Request": "true" } }).catch(() => null);
      if (answer?.ok) reading = await answer.text().catch(() => "");
      if (signal.aborted) return;
    }
    output.dataset.of = text;
    output.replaceChildren(...new DOMParser().parseFromString(reading, "text/html").body.childNodes);
    for (const row of document.querySelectorAll(".match.named")) row.classList.remove("named");
    document.getElementById(output.querySelector("[data-match]")?.dataset.match)?.classList.add("named");
  }

  // --- the next outstanding table --------------------------------------------------------------------------
  const rowAt = (table) => document.querySelector(`#match-${table}.match`);
  const nameOf = (row) => row.dataset.table; // of its table: 12, A12
  const tableOf = (row) => Number(row?.id.slice(6)) || 0;

  // The table that a line is most likely about: first in the line, offered before it, or in the reading of a name.
  function guessTable({ text, offer }) {
    const starts = ({ dataset: { table } }) => text.toLowerCase().startsWith(table.toLowerCase()) && /^[^\p{L}\p{N}]+\S/u.test(text.slice(table.length));
    const isRead = document.getElementById("understood")?.dataset.of === text;
    const row = Array.from(document.querySelectorAll(".match[data-table]")).find(starts);
    return tableOf(row) || (isRead && tableOf(document.querySelector(".match.named"))) || offer?.table || 0;
  }

  function nameNext(form) {
    const busy = [...lines(form), sent.get(form)].map((line) => line?.table);
    const out = Array.from(document.querySelectorAll(".match.out"), tableOf).filter((table) => !busy.includes(table));
    out.sort((one, other) => one - other);
    const next = out.find((table) => table > named) ?? out[0];
    if (next === undefined) {
      const output = document.getElementById("understood");
      if (output && !busy.some(Boolean)) output.textContent = output.dataset.done;
      return;
    }
    name(form, next);
    rowAt(next).scrollIntoView({ block: "nearest" });
  }

  function name(form, table) {
    named = table;
    const text = `${nameOf(rowAt(table))} `;
    put(box(form), text, { table, text });
  }

  // A page that was opened without scripts says which table it names beside the box, not in it.
  for (const line of document.querySelectorAll("form[data-onebox] [name=line]")) {
    if (rowAt(Number(line.value))) name(line.form, Number(line.value));
    line.value = "";
  }

  const help = document.getElementById("how"); // what can be typed: it is read, then typed
  help?.addEventListener("toggle", () => {
    if (window.matchMedia("(pointer: fine)").matches) box(help.closest(".box").querySelector("form")).focus();
  });

  // --- sending ---------------------------------------------------------------------------------------------
  document.addEventListener("keydown", (event) => {
    const form = event.target.closest?.("form[data-onebox]");
    if (!form || event.target !== box(form)) return;
    if (event.key === "Escape") {
      ask(form, null);
      refused = null;
      put(event.target, "");
      document.querySelector("[data-unsaved]")?.replaceChildren();
    }
    if (event.key !== "Enter") return;
    const empty = !event.target.value.trim();
    if (empty || event.repeat) event.preventDefault(); // Enter that is held down is one Enter
    if (empty && !event.repeat) nameNext(form);
  });
  document.addEventListener("input", (event) => {
    if (!onebox(event.target.form) || event.target !== box(event.target.form)) return;
    if (refused && event.target.value && !corrects(event.target.value, refused.line)) listRefused(refused);
    refused = null;
    if (offer && !event.target.value.startsWith(offer.text)) offer = null;
    understand(event.target);
  });
  document.addEventListener(
    "submit",
    (event) => {
      if (!window.htmx || !onebox(event.target) || event.submitter?.name) return; // a button that says more
      const input = box(event.target);
      const hasty = question && question.line === input.value && performance.now() - question.since < ASK;
      if (hasty || !input.value.trim()) {
        event.preventDefault();
        event.stopImmediatePropagation();
        if (!hasty) nameNext(event.target);
        return;
      }
      refused = null;
      const line = lineIn(input);
      line.table = guessTable(line);
      lines(event.target).push(line);
      named = line.table || named;
      put(input, "");
      window.htmx.trigger(input, "htmx:abort");
    },
    true,
  );
  document.addEventListener("htmx:configRequest", (event) => {
    const form = event.detail.elt;
    const typed = form.form; // a search while somebody types: what is being sent changes what it would find
    if (onebox(typed) && (lines(typed).length || sent.has(typed))) event.preventDefault();
    if (!onebox(form) || !lines(form).length) return;
    const line = lines(form).shift();
    sent.set(form, line);
    const { parameters } = event.detail;
    parameters.set(box(form).name, line.text);
    if (line.offer) parameters.set("line", line.offer.table);
    if (question && question.line === line.shown) {
      parameters.set("replace", "on");
      parameters.set("seen", question.seen); // what was asked about: a third result that came in since is asked about, too
    }
    ask(form, null);
    const bytes = crypto.getRandomValues(new Uint8Array(16)); // one line, one key: the form stays, its key must not
    parameters.set("key", Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
  });
  document.addEventListener("put-line", (event) => {
    const form = event.target;
    if (!onebox(form)) return;
    const { table } = event.detail;
    const queue = lines(form);
    const bare = (line) => /^\w{0,5}$/.test(line);
    if (queue.length && bare(queue[0].text)) queue[0].text = queue[0].shown = `${table} ${queue[0].text}`;
    else if (!queue.length && bare(box(form).value)) put(box(form), `${table} ${box(form).value}`);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const form = event.detail.elt;
    if (!onebox(form)) return;
    const status = event.detail.xhr ? event.detail.xhr.status : 0;
    const input = box(form);
    const line = sent.get(form);
    sent.delete(form);
    if (!line) return; // a button of the form, not a line
    if (status < 200 || status >= 300) {
      window.beep();
      const answer = new DOMParser().parseFromString(event.detail.xhr?.responseText || "", "text/html");
      const why = answer.querySelector("[data-why]")?.textContent.trim();
      if (!input.value && !lines(form).length) {
        const seen = answer.querySelector("form [name=seen]")?.value;
        if (status === 409 && seen) ask(form, line.shown, seen);
        refused = { line: line.shown, why };
        put(input, line.shown, line.offer);
        input.select();
      } else listRefused({ line: line.shown, why });
    }
    understand(input);
    if (!document.activeElement || document.activeElement === document.body) input.focus();
  });
})();
