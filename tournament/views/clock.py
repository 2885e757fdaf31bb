"""The clock of a round, and the server's time by which every page counts."""

import time

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@require_safe
@never_cache
def server_time(request: HttpRequest) -> HttpResponse:
    """The server's time in milliseconds since 1970, from which a page learns how wrong its device's clock is."""
    return HttpResponse(str(time.time_ns() // 1_000_000), content_type="text/plain; charset=utf-8")
