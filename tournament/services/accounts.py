import logging
from functools import reduce
from operator import or_
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.actionlog.triggers import MARK
from tournament.errors import WrongState
from tournament.models import Action, Entry, Invite, Staff, Tournament
from tournament.monitoring.log_lines import account_words
from tournament.services.anonymity import AccountRedaction, redact_everywhere
from tournament.text import join_some

logger = logging.getLogger("tournament.accounts")
MOST_NAMED = 5  # events in a refusal


def reset_link(user: User) -> str:
    """Return a link to set a new password. It is valid once, for a day."""
    key = f"{user_pk_to_url_str(user)}-{default_token_generator.make_token(user)}"
    return get_adapter().get_reset_password_from_key_url(key)


def set_password(user: User, password: str) -> None:
    """Set a new password; ends other sessions and invalidates reset links."""
    user.set_password(password)
    user.save(update_fields=["password"])
    logger.info("new password for account %s", user.pk)


def turn_off_two_step(user: User) -> bool:
    """Delete keys and codes, so that the password alone is enough to sign in. Returns whether there were any."""
    deleted, _models = user.authenticator_set.all().delete()  # type: ignore[attr-defined]
    if deleted:
        logger.info("two-step sign-in turned off for account %s", user.pk)
    return bool(deleted)


def collect_account_data(user: User) -> dict[str, Any]:
    """Return everything stored about a user as JSON values, without password, key and codes."""
    name = user.get_username()
    actions = Action.objects.filter(actor=name).order_by("tournament", "number")
    roles = Staff.objects.filter(user=user).order_by("tournament")
    invites = Invite.objects.filter(by=user)
    return {
        "account": {
            "username": name,
            "email": user.email,
            "first_name": user.first_name,
            "last_name": user.last_name,
            "made": user.date_joined,
            "last_sign_in": user.last_login,
            "two_step_sign_in": is_mfa_enabled(user),
        },
        "staff": list(roles.values("tournament__slug", "tournament__name", "role")),
        "owns": list(user.tournaments.order_by("slug").values("slug", "name")),
        "plays": list(Entry.objects.filter(user=user).values("tournament__slug", "code", "name")),
        "invitations": list(invites.values("tournament__slug", "role", "at", "expires_at")),
        "rulesets": list(user.rulesets.values("key", "name", "revision")),
        "actions": list(actions.values("tournament__slug", "number", "at", "kind", "reason")),
    }


def delete_account(user: User) -> None:
    """Delete the account with its roles and unpublished rulesets, and replace its name in logs. Repeatable."""
    refuse_owner(user)
    who = account_words(user)
    for tournament in events_that_name(user):
        forget_account(tournament, user, actor=user)
    with transaction.atomic():
        locked = User.objects.select_for_update().filter(pk=user.pk).first()
        if locked is None:  # the same form, sent twice at once
            return
        refuse_owner(locked)
        locked.rulesets.filter(versions=None).delete()
        locked.rulesets.update(draft=None)
        locked.delete()
    logging.getLogger("tournament.log").info("%s deleted", who)


def refuse_owner(user: User) -> None:
    events = list(Tournament.objects.filter(owner=user).order_by("name").values_list("name", flat=True))
    if events:
        names = join_some([f"“{name}”" for name in events], MOST_NAMED)
        raise WrongState(_("You own events: %(names)s. Transfer or delete them first."), names=names)


def events_that_name(user: User) -> QuerySet[Tournament]:
    name = user.get_username()
    mentions: tuple[QuerySet[Any], ...] = (
        Action.objects.filter(actor=name),
        Action.objects.touching(name, f"staff/{name}"),
        Staff.objects.filter(user=user),
        Invite.objects.filter(by=user),
        Entry.objects.filter(user=user),
    )
    named = (Q(pk__in=rows.order_by().values("tournament")) for rows in mentions)
    return Tournament.objects.filter(reduce(or_, named))


@service("account deleted", after_end=True)
def forget_account(log: Log, user: Any) -> None:
    """Remove an account from the event's staff and its name from the log. Raises WrongState for the owner."""
    refuse_owner(user)  # once more under the lock: someone may have made it the event's owner meanwhile
    tournament = log.tournament
    log.actor = MARK
    tournament.staff.filter(user=user).delete()
    tournament.invites.filter(by=user).delete()
    for entry in tournament.entries.filter(user=user):
        log.set_personal(entry, user=None)
    log.mention(f"staff/{MARK}", "gone")
    redact_everywhere(tournament, AccountRedaction(user.get_username()), {})
