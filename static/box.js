// The one box of the desk, and that of the check-in: <form data-onebox hx-sync="this:queue all"> whose answer goes elsewhere.
// - Each line is taken at Enter and sent in its turn, however fast they come; the box is free at once. A refused line
//   comes back into the box, or where the next is being typed already, or is typed over it, into the list <ul data-unsaved>.
//   A beep tells those who look at the slips.
// - A line that met another result (409) replaces that one when it is sent once more as it came back.
// - As a table is typed, <output id="understood"> says who plays there and what the line means: from the rows of the
//   page (li#match-12 with data-table, data-initials, data-a, data-b, data-result) and #readings, what each short result says.
// - Enter in the empty box names the next outstanding table in the box, after the last one that this desk typed or named. It
//   never leaves the box. A whole line typed behind that name is taken by itself: who presses Enter twice means no other table.
// - The answer to the code of a slip names its table (event "put-line"); a result typed or sent meanwhile belongs to it.
"use strict";
(() => {
  const CODE = /^\d+-\d+-\w{2,4}$|\/code\/\w+\/?$/; // of a slip, or its address
  const ASK = 400; // ms that a question must have stood before Enter answers it: a second Enter by haste is none
  const onebox = (form) => form && form.matches && form.matches("form[data-onebox]");
  const box = (form) => form.querySelector("input[type=text], input[type=search], input:not([type])");
  const waiting = new WeakMap();
  const lines = (form) => waiting.get(form) || waiting.set(form, []).get(form);
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
  let offer = ""; // the name of a table, as Enter in the empty box wrote it there

  function put(input, text) {
    offer = "";
    input.value = text;
    understand(input);
  }

  // The line in the box; behind a table that was only offered, a line with a table of its own alone, or a scanned slip.
  function lineIn({ value }) {
    const typed = offer && value.startsWith(offer) ? value.slice(offer.length) : "";
    if (!typed) return value;
    const { row, several, table, rest } = parse(typed);
    const alone = rest && (result(rest) ? row || several || table : row && !result(typed));
    return alone || (CODE.test(typed) && !result(typed)) ? typed : value;
  }

  // --- what a line means -----------------------------------------------------------------------------------
  const PLAIN = { ł: "l", ø: "o", đ: "d", ð: "d", ħ: "h", ı: "i", æ: "ae", œ: "oe", þ: "th" };
  const fold = (text) =>
    text
      .toLowerCase()
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .replace(/[’‘ʼ`]/g, "'")
      .replace(/[łøđðħıæœþ]/g, (letter) => PLAIN[letter]);
  const rows = () => Array.from(document.querySelectorAll(".match[data-a]"));
  const nameOf = (row) => row.dataset.table || row.id.slice(6); // of its table: 12, A12
  const rowAt = (table) => document.querySelector(`#match-${table}.match`);

  function readings() {
    const json = document.getElementById("readings");
    return json ? JSON.parse(json.textContent) : {};
  }

  // Rows of the players in whose names each word begins a word, with the side of each; the one so named, if there is.
  function findPlayers(text) {
    const name = fold(text);
    const words = name.split(" ");
    const seats = rows().flatMap((row) => ["a", "b"].map((side) => [row, side, fold(row.dataset[side] || "")]));
    const hits = seats.filter(([, , full]) => words.every((word) => ` ${full}`.includes(` ${word}`)));
    const exact = hits.filter(([, , full]) => full === name);
    return exact.length === 1 ? exact : hits;
  }

  // [row, rest] of a line that starts with the name of a table, such as "a12 21", or its initials; the longest is taken.
  function calledTable(line) {
    const squeezed = (text) => text.replace(/\s+/g, "").toLowerCase();
    const initials = rows().map((row) => [row.dataset.initials, row]);
    const names = rows().map((row) => [squeezed(nameOf(row)), row]);
    const named = new Map([...initials, ...names].filter(([name]) => /\D/.test(name || "0")));
    for (let end = named.size && line.length; end > 0; end--) {
      const row = !/^[\p{L}\p{N}]/u.test(line.slice(end)) && named.get(squeezed(line.slice(0, end)));
      if (row) return [row, line.slice(end).replace(/^ ?[./*,]? ?/, "")];
    }
    return null;
  }

  // {row, side, rest} of a line; row null where no single table is meant.
  function parse(text) {
    const line = text.trim().replace(/\s+/g, " ");
    const called = calledTable(line);
    if (called) return { table: nameOf(called[0]), row: called[0], rest: called[1] };
    const early = /^(\+\d{1,2}) (.+)$/.exec(line);
    const reason = early && /^(\S*\d\S*) (\D.*)$/.exec(early[2]); // +5 12 deck check
    if (early) return parse(reason ? `${reason[1]} ${early[1]} ${reason[2]}` : `${early[2]} ${early[1]}`);
    const numbered = /^(\d{1,4})(?:(?: ?[./*,] ?| )(.*))?$/.exec(line);
    if (numbered) return { table: numbered[1], row: rowAt(Number(numbered[1])), rest: numbered[2] || "" };
    const words = line.split(" ");
    for (let end = words.length; line && end > 0; end--) {
      const hits = findPlayers(words.slice(0, end).join(" "));
      if (hits.length) {
        const [row, side] = hits.length === 1 ? hits[0] : [null, ""];
        return { row, side, several: hits, rest: words.slice(end).join(" ") };
      }
    }
    return { row: null, rest: line };
  }

  // "2–1", and who drops, of a short result; null where it is none (yet).
  function result(rest, turned) {
    const marks = /^(x{0,2})([^x].*?)(x{0,2})$/i.exec(rest);
    if (!marks) return null;
    let short = marks[2].trim().toLowerCase();
    if (/^\d[-–: ]?\d([-–: ]?\d)?t?$/.test(short)) short = short.replace(/[-–: ]/g, "");
    const points = /^(\d+(?:[.,]\d+)?)[- ](\d+(?:[.,]\d+)?)$/.exec(short);
    const words = readings()[short]?.[turned ? 1 : 0] || (points && (turned ? `${points[2]}–${points[1]}` : `${points[1]}–${points[2]}`));
    let drops = marks[1].length === 2 || marks[3].length === 2 ? "ab" : (marks[1] ? "a" : "") + (marks[3] ? "b" : "");
    if (turned) drops = drops.replace(/[ab]/g, (side) => (side === "a" ? "b" : "a"));
    return words ? { words, drops } : null;
  }

  // What a line does that says no result: clear, more time, a drop; else that it is not understood.
  function otherwise(rest, side, a, b, words) {
    const minutes = /^\+ ?(\d{1,2})(?: (\D.*))?$/.exec(rest);
    if (minutes) return `+${minutes[1]} min${minutes[2] ? ` (${minutes[2]})` : ""}`;
    if (rest === "-") return words.clear;
    if (rest === "?") return words.show;
    const who = { x1: [a], x2: [b], xx: [a, b], x: { a: [a], b: [b] }[side] }[rest.toLowerCase()];
    return who ? who.map((name) => `${name} ${words.drops}`).join(" · ") : `“${rest}” ?`;
  }

  function understand(input) {
    const output = document.getElementById("understood");
    if (!output) return;
    for (const row of document.querySelectorAll(".match.named")) row.classList.remove("named");
    output.textContent = "";
    if (!input.value.trim()) return;
    const words = output.dataset;
    const { row, side, several, table, rest } = parse(lineIn(input));
    if (several && !row) {
      output.textContent = several
        .slice(0, 4)
        .map(([hit, at]) => `${hit.dataset[at]} (${nameOf(hit)})`)
        .join(" · ");
      return;
    }
    if (!row) {
      if (table) output.textContent = `${words.none} ${table}`;
      return;
    }
    row.classList.add("named");
    const { a, b, result: now } = row.dataset;
    const means = rest ? result(rest, side === "b") : null;
    const drops = means ? [...means.drops].map((who) => ` · ${who === "a" ? a : b} ${words.drops}`).join("") : "";
    const other = means || !rest ? "" : ` · ${otherwise(rest, side, a, b, words)}`;
    const kept = now ? ` (${means?.words === now ? words.already : words.has} ${now})` : "";
    const between = means ? means.words : words.against;
    const hidden = Object.assign(document.createElement("span"), { className: "sr", textContent: `${words.table} ` });
    const sign = Object.assign(document.createElement("span"), { className: "tno", textContent: nameOf(row) });
    output.append(hidden, sign, ` ${a} ${between} ${b}${drops}${other}${kept}`);
  }

  // --- the next outstanding table --------------------------------------------------------------------------
  function nameNext(form) {
    const unanswered = lines(form).concat(form.dataset.sent || "").map(parse); // a bare table reports nothing
    const busy = new Set(unanswered.filter((line) => line.rest).map((line) => line.row?.id));
    const out = Array.from(document.querySelectorAll(".match.out")).filter((row) => !busy.has(row.id));
    const all = out.map((row) => Number(row.id.slice(6))).sort((one, other) => one - other);
    const next = all.find((table) => table > named) ?? all[0];
    if (next === undefined) {
      const output = document.getElementById("understood");
      if (output && !busy.size) output.textContent = output.dataset.done;
      return;
    }
    name(form, next);
    rowAt(next).scrollIntoView({ block: "nearest" });
  }

  function name(form, table) {
    named = table;
    put(box(form), `${nameOf(rowAt(table))} `);
    offer = box(form).value;
  }

  // A page that was opened without scripts says which table it names beside the box, not in it.
  for (const line of document.querySelectorAll("form[data-onebox] [name=line]")) {
    if (rowAt(Number(line.value))) name(line.form, Number(line.value));
    line.value = "";
  }

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
    if (!event.target.value.startsWith(offer)) offer = "";
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
      lines(event.target).push(line);
      named = Number(parse(line).row?.id.slice(6)) || named;
      put(input, "");
      window.htmx.trigger(input, "htmx:abort");
    },
    true,
  );
  document.addEventListener("htmx:configRequest", (event) => {
    const form = event.detail.elt;
    const typed = form.form; // a search while somebody types: what is being sent changes what it would find
    if (onebox(typed) && (lines(typed).length || typed.dataset.sent)) event.preventDefault();
    if (!onebox(form) || !lines(form).length) return;
    const line = lines(form).shift();
    form.dataset.sent = line;
    const { parameters } = event.detail;
    parameters.set(box(form).name, line);
    if (question && question.line === line) {
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
    if (queue.length && bare(queue[0])) queue[0] = `${table} ${queue[0]}`;
    else if (!queue.length && bare(box(form).value)) put(box(form), `${table} ${box(form).value}`);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const form = event.detail.elt;
    if (!onebox(form)) return;
    const status = event.detail.xhr ? event.detail.xhr.status : 0;
    const input = box(form);
    const line = form.dataset.sent;
    delete form.dataset.sent;
    if (line === undefined) return; // a button of the form, not a line
    if (status < 200 || status >= 300) {
      window.beep();
      const answer = new DOMParser().parseFromString(event.detail.xhr?.responseText || "", "text/html");
      const why = answer.querySelector("[data-why]")?.textContent.trim();
      if (!input.value && !lines(form).length) {
        const seen = answer.querySelector("form [name=seen]")?.value;
        if (status === 409 && seen) ask(form, line, seen);
        put(input, line);
        input.select();
        refused = { line, why };
      } else listRefused({ line, why });
    }
    understand(input);
    if (!document.activeElement || document.activeElement === document.body) input.focus();
  });
})();
