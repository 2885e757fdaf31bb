// What is offered below a field (regulars by two letters): arrow keys go from the field into the list and through
// it, Escape back to the field; Enter there is the button's own. Ids: #id_name and #offered.
"use strict";
(() => {
  document.addEventListener("keydown", (event) => {
    const field = document.getElementById("id_name");
    const buttons = Array.from(document.querySelectorAll("#offered button"));
    const at = buttons.indexOf(document.activeElement);
    if (!field || (at < 0 && document.activeElement !== field)) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = event.key === "Escape" && at >= 0 ? field : by && (buttons[at + by] || (at + by < 0 ? field : null));
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
})();
