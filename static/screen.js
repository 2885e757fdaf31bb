// Pages of a hall's screen that turn by themselves: the .screen-page elements inside [data-pages="seconds"].
// One is shown at a time, its number stands in .page-count. Space stops and goes on, the arrows turn by hand.
"use strict";
(() => {
  let shown = 0;
  let stopped = false;
  let timer = null;

  function show() {
    const part = document.querySelector("[data-pages]");
    if (!part) return;
    const pages = Array.from(part.querySelectorAll(".screen-page"));
    shown = pages.length ? (shown + pages.length) % pages.length : 0;
    pages.forEach((page, number) => { page.hidden = number !== shown; });
    const count = part.querySelector(".page-count");
    if (count) count.textContent = pages.length > 1 ? `${shown + 1} / ${pages.length}${stopped ? " ⏸" : ""}` : "";
    clearTimeout(timer);
    if (!stopped && pages.length > 1) timer = setTimeout(() => turn(1), Number(part.dataset.pages) * 1000);
  }

  function turn(by) {
    shown += by;
    show();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("a, button")) return;
    if (event.key === "ArrowRight") turn(1);
    else if (event.key === "ArrowLeft") turn(-1);
    else if (event.key === " ") { stopped = !stopped; show(); }
    else return;
    event.preventDefault();
  });
  document.addEventListener("htmx:afterSettle", show); // a new part: the same page again
  document.addEventListener("DOMContentLoaded", show);
})();
