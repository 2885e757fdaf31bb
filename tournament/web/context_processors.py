"""What every template may show about this installation; the same for everybody, public pages included."""

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, object]:
    """`site_url`: the address people type; `hall_mode`: plain http on a network, said in a banner;
    `only_here`: an address no other device can open, said beside what is to be opened by phones."""
    return {
        "site_url": settings.SITE_URL,
        "hall_mode": settings.HALL_MODE,
        "only_here": not settings.HTTPS and not settings.HALL_MODE,
        "sign_up_open": settings.SIGN_UP_OPEN,
    }
