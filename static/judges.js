// A table opens as a sheet over the tables: a boosted link in #tables into the part in <dialog id="sheet">, which keeps
// the focus, closes by Escape, by its [data-close] link or a tap beside it, and gives the focus back to the table.
// While it is open, the page's problem region is in it: behind it nobody would read what went wrong.
"use strict";
(() => {
  const sheet = () => document.getElementById("sheet");
  const part = () => document.getElementById("table-part");
  let opener = null; // its address: a poll may have replaced the link by then

  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target !== part() || sheet().open) return;
    opener = event.detail.requestConfig?.elt.getAttribute("href");
    sheet().prepend(document.getElementById("problem"));
    sheet().setAttribute("aria-labelledby", "table-heading"); // its heading, now that there is one
    sheet().showModal();
  });
  document.addEventListener("click", (event) => {
    const open = sheet();
    if (!open?.open || !(event.target === open || event.target.closest("#sheet [data-close]"))) return;
    event.preventDefault();
    open.close();
  });
  document.addEventListener("input", ({ target }) => { // an infraction of the list sets its usual penalty
    const chosen = [...(target.list?.options || [])].find((option) => option.value === target.value);
    if (chosen?.dataset.penalty) target.form.elements.kind.value = chosen.dataset.penalty;
  });
  document.addEventListener("DOMContentLoaded", () => {
    sheet()?.addEventListener("close", () => {
      document.getElementById("messages").after(document.getElementById("problem"));
      part().replaceChildren();
      if (opener) document.querySelector(`#tables a[href="${CSS.escape(opener)}"]`)?.focus({ preventScroll: true });
    });
  });
})();
