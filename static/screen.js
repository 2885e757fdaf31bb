// Venue screens. In <section id="screen" data-seconds="12" …> the faces take turns, and each has as many pages as its height
// needs: rows (.face-rows) fall into columns, and what does not fit beside them is the next page; a bracket brings its
// pages (.screen-page) along. The arrows turn, Space stops and goes on. The words come from the page: data-page,
// data-next, data-stopped, data-range. What is shown stays where the network is lost, "as of" its last answer.
"use strict";
(() => {
  const LARGEST = 3.2; // how much larger than on the page of a full hall a few names are
  const STEPS = 6; // of the search for the size
  const MOST_SEARCHED = 8; // pages: of thousands of names each try takes a third of a second, and gains nothing
  const MOST_MARKS = 4;
  let turns = []; // {face, page, marks}: every page of every face, in turn
  let at = { face: "", page: 0 };
  let stopped = false;
  let due = 0;
  let asOf = new Date();

  const part = () => document.getElementById("screen");
  const words = (text, ...values) => values.reduce((now, value, place) => now.replace(values.length > 1 ? `#${place + 1}` : "#", value), text);

  // The greatest size of type at which the rows take no more pages than at the least one. Answers the pages' first and last rows.
  function fit(list) {
    list.style.fontSize = list.style.transform = list.style.columnFill = "";
    const least = parseFloat(getComputedStyle(list).fontSize);
    const width = () => list.clientWidth + parseFloat(getComputedStyle(list).columnGap);
    const pages = (size) => {
      list.style.fontSize = `${size}px`;
      return Math.max(1, Math.ceil((list.scrollWidth - 1) / width()));
    };
    const fewest = pages(least);
    let [low, high] = [least, least * LARGEST];
    for (let step = 0; step < STEPS && fewest <= MOST_SEARCHED; step++) {
      const size = (low + high) / 2;
      if (pages(size) > fewest) high = size;
      else low = size;
    }
    list.style.columnFill = pages(low) === 1 ? "balance" : ""; // a few names: as many in each column
    const begin = list.getBoundingClientRect().left;
    const ends = [];
    for (const row of list.children) {
      const page = Math.floor((row.getBoundingClientRect().left - begin + 1) / width());
      ends[page] = [ends[page]?.[0] || row, row];
    }
    return ends.filter(Boolean);
  }

  const key = (row) => row.dataset.key || row.querySelector(".name").textContent.trim();

  // As little of a name as tells it from another at the page's ends: "Kim", or "Kim C".
  function shorten(name, other) {
    const first = name.split(" ")[0];
    if (other === name || other.split(" ")[0] !== first) return first;
    let length = first.length + 2;
    while (length < name.length && name.slice(0, length) === other.slice(0, length)) length += 1;
    return name.slice(0, length).includes("(") ? name : name.slice(0, length); // "(1 of 2)" is not cut
  }

  function marks(ends) {
    const named = (row, ...others) => (row.dataset.key ? key(row) : others.filter(Boolean)
      .map((other) => shorten(key(row), key(other))).reduce((one, other) => (other.length > one.length ? other : one)));
    return ends.map(([first, last], page) =>
      words(part().dataset.range, named(first, last, ends[page - 1]?.[1]), named(last, first, ends[page + 1]?.[0])));
  }

  function measure() {
    turns = [];
    const faces = Array.from(part().querySelectorAll(".face"));
    for (const face of faces) {
      for (const other of faces) other.hidden = other !== face;
      const list = face.querySelector(".face-rows");
      const ends = list && list.children.length ? fit(list) : [];
      const pages = ends.length || face.querySelectorAll(".screen-page").length || 1;
      const texts = ends.length > 1 ? marks(ends) : [];
      for (let page = 0; page < pages; page++) turns.push({ face, page, pages, texts });
    }
  }

  function show() {
    const here = turns.find(({ face, page }) => face.id === at.face && page === at.page)
      || turns.find(({ face }) => face.id === at.face) || turns[0];
    at = { face: here.face.id, page: here.page };
    for (const { face } of turns) face.hidden = face !== here.face;
    const list = here.face.querySelector(".face-rows");
    if (list) {
      const width = list.clientWidth + parseFloat(getComputedStyle(list).columnGap);
      list.style.transform = `translateX(${-here.page * width}px)`;
    }
    here.face.querySelectorAll(".screen-page").forEach((page, number) => { page.hidden = number !== here.page; });
    part().querySelector(".face-end").textContent = here.face.querySelector("[data-end]")?.dataset.end || "";
    const few = here.texts.length <= MOST_MARKS;
    part().querySelector(".face-marks").replaceChildren(...here.texts
      .map((text, page) => Object.assign(document.createElement("span"), { textContent: text, className: page === here.page ? "on" : "" }))
      .filter((_mark, page) => few || page === here.page));
    say(here);
  }

  function say(here = turns.find(({ face, page }) => face.id === at.face && page === at.page)) {
    const { page, next, stopped: halted, zone } = part().dataset;
    const left = Math.max(1, Math.ceil((due - Date.now()) / 1000));
    const pages = here.pages > 1 ? [words(page, here.page + 1, here.pages)] : [];
    if (turns.length > 1) pages.push(stopped ? halted : words(next, left));
    part().querySelector(".page-count").textContent = pages.join(", ");
    part().querySelector(".as-of").textContent = asOf.toLocaleTimeString("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
  }

  function turn(by) {
    const now = turns.findIndex(({ face, page }) => face.id === at.face && page === at.page);
    const next = turns[(now + by + turns.length) % turns.length];
    at = { face: next.face.id, page: next.page };
    wait();
    show();
  }

  const wait = () => { due = Date.now() + Number(part().dataset.seconds) * 1000; };

  function renew() {
    measure();
    show();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("a, button")) return;
    if (["ArrowRight", "ArrowDown", "PageDown"].includes(event.key)) turn(1);
    else if (["ArrowLeft", "ArrowUp", "PageUp"].includes(event.key)) turn(-1);
    else if (event.key === " ") { stopped = !stopped; wait(); say(); }
    else return;
    event.preventDefault();
  });
  document.addEventListener("htmx:afterSettle", renew); // a new part: the same page again, if it is still there
  document.addEventListener("htmx:afterRequest", (event) => {
    const { xhr } = event.detail;
    if (xhr && xhr.status >= 200 && xhr.status < 300) asOf = new Date(xhr.getResponseHeader("Date") || Date.now());
  });
  window.addEventListener("resize", renew);
  document.addEventListener("DOMContentLoaded", () => {
    wait();
    renew();
    document.fonts?.ready.then(renew);
    setInterval(() => (!stopped && turns.length > 1 && Date.now() >= due ? turn(1) : say()), 1000);
  });
  const keepAwake = () => { if (!document.hidden) navigator.wakeLock?.request("screen").catch(() => {}); };
  document.addEventListener("visibilitychange", keepAwake);
  keepAwake();
})();
