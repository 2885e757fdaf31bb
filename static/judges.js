// A table opens in the sheet beside the tables (over the lower end of a phone): a boosted link in #tables into #table-part.
// Escape or a [data-close] link closes it and gives the focus back to the table.
"use strict";
(() => {
  const sheet = () => document.getElementById("sheet");
  let opener = ""; // its address: a poll may have replaced the link by then
  const links = () => [...document.querySelectorAll("#tables .hall a")];
  const mark = () => links().forEach((link) => (link.ariaCurrent = link.getAttribute("href") === opener ? "true" : null));

  document.addEventListener("htmx:afterSettle", ({ detail }) => {
    if (sheet() && detail.target.id === "table-part") {
      const link = detail.requestConfig?.elt;
      const opens = link?.matches(".hall a");
      if (opens) opener = link.getAttribute("href");
      sheet().prepend(document.getElementById("problem")); // an error behind the sheet would go unread
      sheet().setAttribute("aria-labelledby", "table-heading");
      sheet().hidden = false;
      if (opens) document.getElementById("table-heading").focus({ preventScroll: true });
    }
    mark();
  });
  const close = (event) => {
    if (!sheet() || sheet().hidden) return;
    event.preventDefault();
    document.getElementById("messages").after(document.getElementById("problem"));
    sheet().hidden = true;
    document.getElementById("table-part").replaceChildren();
    links().find((link) => link.ariaCurrent)?.focus({ preventScroll: true });
    opener = "";
    mark();
  };
  document.addEventListener("click", (event) => event.target.closest("#sheet [data-close]") && close(event));
  document.addEventListener("keydown", (event) => event.key === "Escape" && close(event));
  document.addEventListener("input", ({ target }) => { // an infraction of the list sets its usual penalty
    const chosen = [...(target.list?.options || [])].find((option) => option.value === target.value);
    if (chosen?.dataset.penalty) target.form.elements.kind.value = chosen.dataset.penalty;
  });
})();
