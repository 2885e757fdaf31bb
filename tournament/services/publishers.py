"""Publishers of rulesets and their members. Each change is one transaction, row lock first."""

import logging
from typing import Any

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from tournament.errors import Refused, get_or_refuse
from tournament.models import Publisher, PublisherMember
from tournament.models.slugs import insert_at_free_slug
from tournament.monitoring.log_lines import account_words

logger = logging.getLogger("tournament.log")


def create_publisher(name: str, *, owner: Any) -> Publisher:
    """Make a publisher with its first owner, or return the owner's publisher of that name. Raises Refused."""
    name = clean_text(name, 80, _("Enter a publisher name of up to 80 characters."))
    taken = Refused(
        _("The publisher “%(name)s” already exists. Ask to become a member, or choose another name."),
        name=name,
    )
    try:
        with transaction.atomic():
            get_user_model().objects.select_for_update().get(pk=owner.pk)
            if existing := Publisher.objects.filter(name__iexact=name).first():
                if existing.members.filter(user=owner, role=PublisherMember.Role.OWNER).exists():
                    return existing
                raise taken
            publisher = Publisher(name=name)
            insert_at_free_slug(publisher, slugify(name)[:30] or "publisher")
            PublisherMember.objects.create(publisher=publisher, user=owner, role=PublisherMember.Role.OWNER)
    except IntegrityError as error:  # someone else took the name in the meantime
        raise taken from error
    logger.info("publisher %s created by %s", publisher.slug, account_words(owner))
    return publisher


def set_member(publisher: Publisher, username: str, role: str, *, actor: Any) -> None:
    """Add a member, or change a member's role. Raises NotFound, and Refused where no owner would remain."""
    if role not in PublisherMember.Role.values:
        raise Refused(_("A member must be an owner or an editor."))
    username = username.strip()
    users = get_user_model().objects.filter(username=username)
    user = get_or_refuse(users, _("There is no account “%(name)s”."), name=username[:60])
    with transaction.atomic():
        Publisher.objects.select_for_update().get(pk=publisher.pk)
        PublisherMember.objects.update_or_create(publisher=publisher, user=user, defaults={"role": role})
        _keep_an_owner(publisher)
    who, by = account_words(user), account_words(actor)
    logger.info("publisher %s: %s is %s by %s", publisher.slug, who, role, by)


def remove_member(publisher: Publisher, username: str, *, actor: Any) -> None:
    """Remove a member, from their next click on. Raises NotFound, and Refused where no owner would remain."""
    with transaction.atomic():
        Publisher.objects.select_for_update().get(pk=publisher.pk)
        members = publisher.members.filter(user__username=username).select_related("user")
        member = get_or_refuse(members, _("“%(name)s” is not a member."), name=username[:60])
        member.delete()
        _keep_an_owner(publisher)
    who, by = account_words(member.user), account_words(actor)
    logger.info("publisher %s: %s removed by %s", publisher.slug, who, by)


def _keep_an_owner(publisher: Publisher) -> None:
    if not publisher.members.filter(role=PublisherMember.Role.OWNER).exists():
        raise Refused(_("A publisher needs an owner. Make someone else an owner first."))


def clean_text(text: str, longest: int, refusal: str) -> str:
    """The text without spaces around it. Raises Refused where it is empty or too long."""
    text = text.strip()
    if not 1 <= len(text) <= longest:
        raise Refused(refusal)
    return text
