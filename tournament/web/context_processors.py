"""Template context about this installation, the same for everyone, also on public pages; and a staff page's event."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from tournament.monitoring.installation import is_disk_full


def site(request: HttpRequest) -> dict[str, object]:
    return {
        "site_url": settings.SITE_URL,  # the address people type
        "installation_name": settings.SITE_NAME,  # "" for none; `site_name` is Django's, on the sign-in page
        "site_title": settings.SITE_NAME or _("Tournaments"),
        "site_logo": settings.SITE_LOGO.address,  # "" for none
        "hall_mode": settings.HALL_MODE,  # plain http on a network, about which a banner warns
        # The address works on no other device, which is said beside addresses meant for phones.
        "only_here": not settings.HTTPS and not settings.HALL_MODE,
        "sign_up_open": settings.SIGN_UP_OPEN,
        "sends_email": bool(settings.MAIL),
        "is_disk_full": is_disk_full,
        "tournament": getattr(request, "tournament", None),
    }
