"""Types of requests, for type checkers only: with htmx details, and with a signed-in user."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxHttpRequest(HttpRequest):
    htmx: HtmxDetails


class StaffRequest(HtmxHttpRequest):
    user: User
