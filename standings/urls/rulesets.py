"""URLs of rulesets. Words used here never collide with a ruleset's key: users' own keys contain a hyphen."""

from django.urls import path

import tournament.web.converters  # noqa: F401  (registers number)
from standings.views import ruleset_editor, rulesets

BOOK = "<slug:key>/"
VERSION = f"{BOOK}versions/<number:version>/"

urlpatterns = [
    path("", rulesets.rulesets, name="rulesets"),
    path("words/", rulesets.words, name="ruleset-words"),
    path("import/", rulesets.from_file, name="ruleset-from-file"),
    path(BOOK, rulesets.ruleset, name="ruleset"),
    path(VERSION, rulesets.ruleset, name="ruleset-version"),
    path(f"{VERSION}json/", rulesets.ruleset_json, name="ruleset-json"),
    path(f"{BOOK}copy/", rulesets.copy, name="copy-ruleset"),
    path(f"{BOOK}draft/", ruleset_editor.draft, name="ruleset-draft"),
    path(f"{BOOK}draft/order/", ruleset_editor.order, name="ruleset-order"),
    path(f"{BOOK}draft/preview/", ruleset_editor.preview, name="ruleset-preview"),
    path(f"{BOOK}draft/upload/", ruleset_editor.upload, name="ruleset-upload"),
    path(f"{BOOK}publish/", ruleset_editor.publish, name="publish-ruleset"),
]
