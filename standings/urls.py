"""Addresses of what the facts mean: standings, cut, bracket."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
