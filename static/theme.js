// Light, dark, or as the device is set. Loaded in the head without defer, so that no page flashes in the other theme.
// The button's words come from the page: data-auto, data-light, data-dark.
"use strict";
(() => {
  const root = document.documentElement;
  const device = window.matchMedia("(prefers-color-scheme: dark)");
  const order = ["auto", "light", "dark"];

  function chosen() {
    try {
      const saved = localStorage.getItem("theme");
      return order.includes(saved) ? saved : "auto";
    } catch {
      return "auto"; // storage may be forbidden; the device's setting still holds
    }
  }

  function show(choice) {
    const dark = choice === "dark" || (choice === "auto" && device.matches);
    root.dataset.theme = dark ? "dark" : "light";
    for (const button of document.querySelectorAll("[data-theme-button]")) {
      button.textContent = button.dataset[choice];
    }
  }

  let choice = root.dataset.theme || chosen(); // a venue screen has the theme of its address
  root.classList.add("js");
  show(choice);
  device.addEventListener("change", () => show(choice));
  document.addEventListener("DOMContentLoaded", () => show(choice));
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-button]")) return;
    choice = order[(order.indexOf(choice) + 1) % order.length];
    try {
      localStorage.setItem("theme", choice);
    } catch {
      // holds for this page only
    }
    show(choice);
  });
})();
