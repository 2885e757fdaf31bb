"""Points in templates, with their word."""

from django import template

from standings.words.formats import points_in_words

register = template.Library()
register.filter("points_in_words", points_in_words)
