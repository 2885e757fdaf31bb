// The time zone of a new event is this device's own, unless somebody wrote another.
(function () {
  "use strict";
  document.addEventListener("DOMContentLoaded", function () {
    var field = document.getElementById("id_time_zone");
    var own = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
    if (field && field.value === field.defaultValue && own.indexOf("/") > 0 && !document.querySelector(".is-invalid")) field.value = own;
  });
})();
