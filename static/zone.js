// The time zone of a new event is this device's own; in a form that came back it is what was sent.
(function () {
  "use strict";
  document.addEventListener("DOMContentLoaded", function () {
    var field = document.querySelector("[data-own-zone] #id_time_zone");
    var own = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
    if (field && own && own !== "Etc/Unknown") field.value = own;
  });
})();
