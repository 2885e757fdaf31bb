"""Addresses of the facts: events, entries, rounds, results."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
