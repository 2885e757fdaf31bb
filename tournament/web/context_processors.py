"""Template context about this installation. It is the same for everyone, also on public pages."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from tournament.web.disk import is_disk_full


def site(request: HttpRequest) -> dict[str, object]:
    """Return facts about this installation.

    site_url           the address people type
    installation_name  the installation's own name or "" (`site_name` is Django's, on the sign-in page)
    site_title         the same, else the app's name
    site_logo          the URL of its logo or ""
    hall_mode          whether it is plain http on a network, about which a banner warns
    only_here          whether the address works on no other device: shown beside addresses meant for phones
    sign_up_open       whether anyone can create an account
    sends_email        whether the site can send email
    is_disk_full       whether nothing can be saved: shown on staff pages
    """
    return {
        "site_url": settings.SITE_URL,
        "installation_name": settings.SITE_NAME,
        "site_title": settings.SITE_NAME or _("Tournaments"),
        "site_logo": settings.SITE_LOGO.address,
        "hall_mode": settings.HALL_MODE,
        "only_here": not settings.HTTPS and not settings.HALL_MODE,
        "sign_up_open": settings.SIGN_UP_OPEN,
        "sends_email": bool(settings.MAIL),
        "is_disk_full": is_disk_full,
    }
