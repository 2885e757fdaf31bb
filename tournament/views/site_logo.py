"""The installation's own logo, where it is a file of this machine."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe


@require_safe
@cache_control(public=True, max_age=365 * 24 * 60 * 60, immutable=True)
def site_logo(request: HttpRequest, name: str) -> HttpResponse:
    """The image under its name, which changes with it. Raises Http404 for any other."""
    logo = settings.SITE_LOGO
    if not logo.content or name != logo.name:
        raise Http404
    return HttpResponse(logo.content, content_type=logo.kind)
