"""Rulesets and who owns them: copy, draft, publish. Each is one transaction, row lock first, one log line.

A draft is a profile as its publisher tells it (`tournament.rulesets.stated_rules`). It is sound whenever it is saved,
so a published version is too, and running events keep the copy they have.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from tournament.errors import Conflict, NotFound, Refused, WrongState
from tournament.models import Publisher, PublisherMember, Rulebook, RulebookAction, Ruleset
from tournament.models.slugs import free_slug
from tournament.rulebooks.library import newest_of, rules_before_draft
from tournament.rulesets import differences, resolve_spec, stated_rules, validate
from tournament.rulesets.resolve import DERIVED_POINTS, UnknownRuleset

logger = logging.getLogger("tournament.log")

OWN = "house"  # the confidence of rules that nobody else wrote
Fault = tuple[str, str]


class FaultyRules(Refused):
    """Rules nobody could use. `faults`: (path of the field, what is wrong)."""

    status = 422

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{path}: {message}" for path, message in faults[:3]))
        self.faults = faults


# --- publishers -----------------------------------------------------------------------------------------


def create_publisher(name: str, *, owner: Any) -> Publisher:
    """A new publisher with its first owner; the one that is there where its owner asks twice. Raises Refused."""
    name = _named(name, 80, _("Enter a publisher name of up to 80 characters."))
    taken = Refused(
        _("The publisher “%(name)s” already exists. Ask to become a member, or choose another name.")
        % {"name": name}
    )
    try:
        with transaction.atomic():
            get_user_model().objects.select_for_update().get(pk=owner.pk)
            there = Publisher.objects.filter(name__iexact=name).first()
            if there and there.members.filter(user=owner, role=PublisherMember.Role.OWNER).exists():
                return there
            if there:
                raise taken
            slug = free_slug(Publisher, slugify(name)[:30] or "publisher")
            publisher = Publisher.objects.create(name=name, slug=slug)
            PublisherMember.objects.create(publisher=publisher, user=owner, role=PublisherMember.Role.OWNER)
    except IntegrityError as error:  # somebody else took the name in this very moment
        raise taken from error
    logger.info("publisher %s created by %s", publisher.slug, owner)
    return publisher


def set_member(publisher: Publisher, username: str, role: str, *, actor: Any) -> None:
    """Take somebody in, or change what they may do. One owner remains. Raises Refused."""
    if role not in PublisherMember.Role.values:
        raise Refused(_("A member must be an owner or an editor."))
    user = get_user_model().objects.filter(username=username.strip()).first()
    if user is None:
        raise NotFound(_("There is no account “%(name)s”.") % {"name": username.strip()[:60]})
    with transaction.atomic():
        Publisher.objects.select_for_update().get(pk=publisher.pk)
        PublisherMember.objects.update_or_create(publisher=publisher, user=user, defaults={"role": role})
        _keep_an_owner(publisher)
    logger.info("publisher %s: %s is %s by %s", publisher.slug, user, role, actor)


def remove_member(publisher: Publisher, username: str, *, actor: Any) -> None:
    """Take somebody out, from their next click on. One owner remains. Raises Refused."""
    with transaction.atomic():
        Publisher.objects.select_for_update().get(pk=publisher.pk)
        gone, _rows = PublisherMember.objects.filter(publisher=publisher, user__username=username).delete()
        if not gone:
            raise NotFound(_("“%(name)s” is not a member.") % {"name": username[:60]})
        _keep_an_owner(publisher)
    logger.info("publisher %s: %s removed by %s", publisher.slug, username, actor)


def _keep_an_owner(publisher: Publisher) -> None:
    if not publisher.members.filter(role=PublisherMember.Role.OWNER).exists():
        raise Refused(_("A publisher needs an owner. Make someone else an owner first."))


def _named(name: str, longest: int, otherwise: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= longest:
        raise Refused(otherwise)
    return name


# --- rulebooks ------------------------------------------------------------------------------------------


def copy_ruleset(ruleset: Ruleset, *, name: str, publisher: Publisher, actor: Any) -> Rulebook:
    """A new rulebook of the publisher with a draft that says the same as `ruleset`.

    The same copy asked for twice is there once, as long as nobody has worked on it. Raises Refused.
    """
    draft = {**stated_rules(ruleset.profile), "based_on": ruleset.profile.get("based_on") or ruleset.key}
    draft.pop("open_fields", None)  # who copies rules decides anew
    return _opened(draft, ruleset, name=name, publisher=publisher, actor=actor)


def import_rulebook(
    profile: dict[str, Any], *, name: str, publisher: Publisher | None, publisher_name: str = "", actor: Any
) -> Rulebook:
    """A new rulebook with a file's rules as its draft, as another installation gave them out.

    Of a publisher, or of a new one by that name, which is not made where the file is refused.

    Where we know what they are based on, the rulebook counts as a copy of that, so that its changes show.
    Raises FaultyRules, Refused.
    """
    known = [profile.get("based_on"), profile.get("key")]
    keys = [key for key in known if isinstance(key, str)]
    found = Ruleset.objects.filter(key__in=keys, rulebook__publisher=None).order_by("-version")
    source = min(found, key=lambda ruleset: keys.index(ruleset.key), default=None)
    draft = {**stated_rules(profile), "based_on": source.key if source else ""}
    draft.pop("rule_changes", None)  # those are of one event
    if faults := faults_of({**draft, "name": name}):
        raise FaultyRules(faults)
    publisher = publisher or create_publisher(publisher_name, owner=actor)
    return _opened(draft, source, name=name, publisher=publisher, actor=actor)


def _opened(
    draft: dict[str, Any], source: Ruleset | None, *, name: str, publisher: Publisher, actor: Any
) -> Rulebook:
    """A new rulebook with that draft; the one that is there where the same was asked before. Raises Refused."""
    name = _named(name, 120, _("Enter a ruleset name of up to 120 characters."))
    draft = {**draft, "name": name, "confidence": OWN}
    with transaction.atomic():
        Publisher.objects.select_for_update().get(pk=publisher.pk)
        for same in publisher.rulebooks.filter(name=name):
            if same.copied_from == source and same.draft == draft and same.revision == 1:
                return same
            raise Refused(
                _("%(publisher)s already has a ruleset “%(name)s”. Choose another name.")
                % {"publisher": publisher.name, "name": name}
            )
        rulebook = Rulebook.objects.create(
            key=_free_key(publisher, name), name=name, publisher=publisher, copied_from=source
        )
        with _changing(rulebook, RulebookAction.Kind.CREATE, actor) as book:
            book.draft = draft
    return rulebook


def _free_key(publisher: Publisher, name: str) -> str:
    """The publisher's address, a hyphen, and the name."""
    wanted = f"{publisher.slug}-{slugify(name)[:20].strip('-') or 'rules'}"
    taken = set(Rulebook.objects.filter(key__startswith=wanted).values_list("key", flat=True))
    key, number = wanted, 1
    while key in taken:
        number += 1
        key = f"{wanted}-{number}"
    return key


def save_draft(rulebook: Rulebook, draft: dict[str, Any], *, seen: int, actor: Any) -> None:
    """Save the draft of the next version. `seen` is the draft's revision the person started from.

    The same draft again is quietly in. Raises Conflict where somebody else saved another one meanwhile, with
    the differing fields by path, and FaultyRules.
    """
    draft = stated_rules(draft)
    draft.pop("rule_changes", None)  # those are of one event, and a file may be of one
    faults = faults_of(draft, rulebook.key)
    if faults:
        raise FaultyRules(faults)
    with _changing(rulebook, RulebookAction.Kind.DRAFT, actor) as book:
        if book.draft == draft or (book.draft is None and draft == rules_before_draft(book)):
            return
        if book.draft_revision != seen:
            theirs = book.draft if book.draft is not None else rules_before_draft(book)
            apart = differences(theirs, draft)
            raise Conflict(
                _("Someone else changed this draft while you were working. Your version is not saved yet."),
                theirs={change["path"]: change["before"] for change in apart},
                yours={change["path"]: change["after"] for change in apart},
            )
        book.draft = draft


def discard_draft(rulebook: Rulebook, *, seen: int, actor: Any) -> None:
    """Throw the draft away; the published versions stay. Raises WrongState, Conflict."""
    with _changing(rulebook, RulebookAction.Kind.DISCARD, actor) as book:
        _still_there(book, seen)
        if newest_of(book) is None:
            raise WrongState(_("This ruleset exists only as this draft. Publish it first."))
        book.draft = None


def publish_draft(rulebook: Rulebook, *, seen: int, note: str, actor: Any) -> Ruleset:
    """Make the draft the next version. Raises Refused, WrongState, Conflict, FaultyRules."""
    note = _named(note, 500, _("Enter what changed and why, in up to 500 characters. Organizers read it."))
    with _changing(rulebook, RulebookAction.Kind.PUBLISH, actor, reason=note) as book:
        draft = _still_there(book, seen)
        before = newest_of(book)
        if before and stated_rules(before.profile) == draft:
            raise WrongState(_("Nothing changed since version %(number)s.") % {"number": before.version})
        faults = faults_of(draft, book.key)
        if faults:
            raise FaultyRules(faults)
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


def _still_there(book: Rulebook, seen: int) -> dict[str, Any]:
    """The draft as the person saw it."""
    if book.draft is None:
        raise WrongState(_("The draft is gone: it was published or discarded."))
    if book.draft_revision != seen:
        raise Conflict(_("Someone else changed this draft while you were working. Review it first."))
    return book.draft


def whole_profile(draft: dict[str, Any], key: str, version: int = 1) -> dict[str, Any]:
    """The whole ruleset a draft would become. Raises UnknownRuleset for what cannot be completed."""
    profile = {**draft, "key": key, "version": version}
    return resolve_spec({"name": draft.get("name", ""), "profile": profile})


def faults_of(draft: dict[str, Any], key: str = "") -> list[Fault]:
    """What is wrong with a draft, by path; an empty list means that it could be published.

    What follows from a wrong field is wrong too, but only the field itself was told.
    """
    faults = []
    name = draft.get("name")
    if not isinstance(name, str) or not 1 <= len(name.strip()) <= 120:
        faults.append(("name", _("a ruleset needs a name of up to 120 characters")))
    try:
        points = draft.get("match_points") or {}
        follows = {f"match_points.{name}" for name, _source in DERIVED_POINTS if name not in points}
        found = validate(whole_profile(draft, key))
        return faults + [fault for fault in found if fault[0] not in follows]
    except UnknownRuleset as error:
        return [*faults, ("", str(error))]


@contextmanager
def _changing(rulebook: Rulebook, kind: str, actor: Any, reason: str = "") -> Iterator[Rulebook]:
    """The locked row; afterwards it is saved and logged if the draft changed. `rulebook` then says the same."""
    with transaction.atomic():
        book = Rulebook.objects.select_for_update().get(pk=rulebook.pk)
        base, had = rules_before_draft(book), book.draft
        yield book
        if book.draft != had:
            before = base if had is None or kind == RulebookAction.Kind.PUBLISH else had
            after = book.draft or (had if kind == RulebookAction.Kind.PUBLISH else base)
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
    if book.draft != had:
        logger.info("ruleset %s #%s %s by %s", book.key, book.revision, kind, actor or "-")
