from django.apps import AppConfig


class PairingsConfig(AppConfig):
    name = "pairings"
