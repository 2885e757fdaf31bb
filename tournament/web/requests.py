"""Requests as views get them, for type checkers only: with django-htmx's details, and with a signed-in user."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxHttpRequest(HttpRequest):
    """A request that passed `HtmxMiddleware`."""

    htmx: HtmxDetails


class StaffRequest(HtmxHttpRequest):
    """A request of somebody who is signed in, as `staff_view` lets it through."""

    user: User
