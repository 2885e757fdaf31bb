"""Rulebooks: copy, draft, publish. Each is one transaction, row lock first, with one log line.

A draft holds what its publisher states (`tournament.rulesets.stated_rules`) and is checked whenever it is saved, so
every published version is sound. Running events keep the copy they have.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from tournament.errors import Conflict, Refused, WrongState
from tournament.models import Publisher, Rulebook, RulebookAction, Ruleset
from tournament.models.slugs import insert_at_free_slug
from tournament.monitoring.log_lines import account_words
from tournament.rulebooks.library import newest_of, rules_before_draft
from tournament.rulesets import differences, resolve_spec, stated_rules, validate
from tournament.rulesets.resolve import DERIVED_POINTS, UnknownRuleset
from tournament.schemas.refusals import Fault
from tournament.services.publishers import clean_text, create_publisher

logger = logging.getLogger("tournament.log")

OWN = "house"  # the confidence of rules without another source


class FaultyRules(Refused):
    """Rules that no event could use. `faults`: (path of the field, what is wrong)."""

    status = 422

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{path}: {message}" for path, message in faults[:3]))
        self.faults = faults


def copy_ruleset(ruleset: Ruleset, *, name: str, publisher: Publisher, actor: Any) -> Rulebook:
    """Make a rulebook of the publisher whose draft says the same as `ruleset`.

    The same copy again returns the first one, as long as no one has changed it. Raises Refused.
    """
    draft = {**stated_rules(ruleset.profile), "based_on": ruleset.profile.get("based_on") or ruleset.key}
    draft.pop("open_fields", None)  # the new publisher decides what organizers may change
    return _create_rulebook(draft, ruleset, name=name, publisher=publisher, actor=actor)


def import_rulebook(
    profile: dict[str, Any], *, name: str, publisher: Publisher | None, publisher_name: str = "", actor: Any
) -> Rulebook:
    """Make a rulebook with the rules of a file, as another installation exported them, as its draft.

    It belongs to `publisher`, or to a new one called `publisher_name`, which is not made where the file is
    refused. Where the rules are based on a built-in ruleset, the rulebook counts as a copy of that, so that
    its changes show. Raises FaultyRules, Refused.
    """
    origins = [profile.get("based_on"), profile.get("key")]
    keys = [key for key in origins if isinstance(key, str)]
    built_in = Ruleset.objects.filter(key__in=keys, rulebook__publisher=None).order_by("-version")
    source = min(built_in, key=lambda ruleset: keys.index(ruleset.key), default=None)
    draft = {**stated_rules(profile), "based_on": source.key if source else ""}
    draft.pop("rule_changes", None)  # these belong to one event
    _check_draft({**draft, "name": name})
    publisher = publisher or create_publisher(publisher_name, owner=actor)
    return _create_rulebook(draft, source, name=name, publisher=publisher, actor=actor)


def _create_rulebook(
    draft: dict[str, Any], source: Ruleset | None, *, name: str, publisher: Publisher, actor: Any
) -> Rulebook:
    """Make a rulebook with that draft, or return the same one made before. Raises Refused."""
    name = clean_text(name, 120, _("Enter a ruleset name of up to 120 characters."))
    draft = {**draft, "name": name, "confidence": OWN}
    with transaction.atomic():
        Publisher.objects.select_for_update().get(pk=publisher.pk)
        for existing in publisher.rulebooks.filter(name=name):
            if existing.copied_from == source and existing.draft == draft and existing.revision == 1:
                return existing
            raise Refused(
                _("%(publisher)s already has a ruleset “%(name)s”. Choose another name."),
                publisher=publisher.name,
                name=name,
            )
        wanted = f"{publisher.slug}-{slugify(name)[:20].strip('-') or 'rules'}"
        rulebook = Rulebook(name=name, publisher=publisher, copied_from=source)
        insert_at_free_slug(rulebook, wanted, column="key")
        with _logged_change(rulebook, RulebookAction.Kind.CREATE, actor) as book:
            book.draft = draft
    return rulebook


def save_draft(rulebook: Rulebook, draft: dict[str, Any], *, seen: int, actor: Any) -> None:
    """Save the draft of the next version; the same draft again changes nothing.

    `seen` is the revision of the draft that the person started from. Raises FaultyRules, and Conflict with the
    differing fields by path where someone else has saved another draft since.
    """
    draft = stated_rules(draft)
    draft.pop("rule_changes", None)  # these belong to one event, and a file may come from one
    _check_draft(draft, rulebook.key)
    with _logged_change(rulebook, RulebookAction.Kind.DRAFT, actor) as book:
        if book.draft == draft or (book.draft is None and draft == rules_before_draft(book)):
            return
        if book.draft_revision != seen:
            differing = differences(rules_before_draft(book) if book.draft is None else book.draft, draft)
            raise Conflict(
                _("Someone else changed this draft while you were working. Your version is not saved yet."),
                theirs={change["path"]: change["before"] for change in differing},
                yours={change["path"]: change["after"] for change in differing},
            )
        book.draft = draft


def discard_draft(rulebook: Rulebook, *, seen: int, actor: Any) -> None:
    """Discard the draft; the published versions stay. A second press changes nothing. Raises WrongState, Conflict."""
    kind = RulebookAction.Kind.DISCARD
    with _logged_change(rulebook, kind, actor) as book:
        if _is_done(book, seen, kind, actor):
            return
        _draft_as_seen(book, seen)
        if newest_of(book) is None:
            raise WrongState(_("This ruleset exists only as this draft. Publish it first."))
        book.draft = None


def publish_draft(rulebook: Rulebook, *, seen: int, note: str, actor: Any) -> Ruleset:
    """Make the draft the next version; a second press returns it. Raises Refused, WrongState, Conflict, FaultyRules."""
    kind = RulebookAction.Kind.PUBLISH
    note = clean_text(
        note, 500, _("Enter what changed and why, in up to 500 characters. Organizers read it.")
    )
    with _logged_change(rulebook, kind, actor, reason=note) as book:
        before = newest_of(book)
        if before and _is_done(book, seen, kind, actor, note):
            return before
        draft = _draft_as_seen(book, seen)
        if before and stated_rules(before.profile) == draft:
            raise WrongState(_("Nothing changed since version %(number)s."), number=before.version)
        _check_draft(draft, book.key)
        version = before.version + 1 if before else 1
        published = Ruleset.objects.create(
            rulebook=book,
            key=book.key,
            version=version,
            name=draft["name"],
            profile=whole_profile(draft, book.key, version),
            published_at=timezone.now(),
            published_by=str(actor or ""),
            note=note,
        )
        book.name, book.draft = draft["name"], None
    return published


def _is_done(book: Rulebook, seen: int, kind: str, actor: Any, reason: str = "") -> bool:
    """Whether exactly this was done to the draft at its revision `seen`: the button was pressed twice."""
    sent = {"kind": kind, "actor": str(actor or ""), "reason": reason}
    return book.actions.filter(number=seen + 1, **sent).exists()


def _draft_as_seen(book: Rulebook, seen: int) -> dict[str, Any]:
    """The draft, if it is the revision that the person saw. Raises WrongState, Conflict."""
    if book.draft is None:
        raise WrongState(_("The draft is gone: it was published or discarded."))
    if book.draft_revision != seen:
        raise Conflict(_("Someone else changed this draft while you were working. Review it first."))
    return book.draft


def whole_profile(draft: dict[str, Any], key: str, version: int = 1) -> dict[str, Any]:
    """The whole ruleset that a draft would become. Raises UnknownRuleset where it cannot be completed."""
    profile = {**draft, "key": key, "version": version}
    return resolve_spec({"name": draft.get("name", ""), "profile": profile})


def faults_of(draft: dict[str, Any], key: str = "") -> list[Fault]:
    """What is wrong with a draft, by path; an empty list means that it can be published.

    A fault of a field that follows from another is left out: the other field has it too.
    """
    faults = []
    name = draft.get("name")
    if not isinstance(name, str) or not 1 <= len(name.strip()) <= 120:
        faults.append(("name", _("a ruleset needs a name of up to 120 characters")))
    try:
        points = draft.get("match_points")
        names = points if isinstance(points, dict) else {}
        follows = {f"match_points.{name}" for name, _source in DERIVED_POINTS if name not in names}
        return faults + [fault for fault in validate(whole_profile(draft, key)) if fault[0] not in follows]
    except UnknownRuleset as error:
        return [*faults, ("", str(error))]


def _check_draft(draft: dict[str, Any], key: str = "") -> None:
    if faults := faults_of(draft, key):
        raise FaultyRules(faults)


@contextmanager
def _logged_change(rulebook: Rulebook, kind: str, actor: Any, reason: str = "") -> Iterator[Rulebook]:
    """The locked row, saved and logged afterwards if its draft changed; `rulebook` is refreshed."""
    with transaction.atomic():
        book = Rulebook.objects.select_for_update().get(pk=rulebook.pk)
        base, earlier = rules_before_draft(book), book.draft
        yield book
        if book.draft != earlier:
            before = base if earlier is None or kind == RulebookAction.Kind.PUBLISH else earlier
            after = book.draft or (earlier if kind == RulebookAction.Kind.PUBLISH else base)
            book.draft_revision += 1
            book.revision += 1
            book.save(update_fields=["name", "draft", "draft_revision", "revision"])
            RulebookAction.objects.create(
                rulebook=book,
                number=book.revision,
                at=timezone.now(),
                actor=str(actor or ""),
                kind=kind,
                changes=differences(before, after),
                reason=reason,
            )
    rulebook.refresh_from_db(fields=["name", "draft", "draft_revision", "revision"])
    if book.draft != earlier:
        logger.info("ruleset %s #%s %s by %s", book.key, book.revision, kind, account_words(actor))
