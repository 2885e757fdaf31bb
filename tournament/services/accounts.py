import logging
from collections.abc import Callable
from functools import reduce
from itertools import compress
from operator import or_
from threading import Thread
from typing import Any

from axes.models import AccessAttempt
from axes.utils import reset as unlock
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.encoding import force_bytes, force_str
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode
from django.utils.translation import gettext as _

from tournament.access.throttle import RESET_EMAILS
from tournament.access.two_step import is_on
from tournament.actionlog.service import Log, service
from tournament.actionlog.triggers import MARK
from tournament.errors import WrongState
from tournament.models import Action, Entry, Invite, Staff, Tournament
from tournament.monitoring.log_lines import account_words
from tournament.services.anonymity import redact_everywhere
from tournament.text.redaction import AccountRedaction

logger = logging.getLogger("tournament.accounts")
MOST_EMAILS = 5  # accounts with one address
MOST_NAMED = 5  # events in a refusal


def reset_link(user: User) -> str:
    """Return a link to set a new password, valid once and for a day."""
    uid = urlsafe_base64_encode(force_bytes(user.pk or 0))
    path = reverse("reset-password", args=[uid, default_token_generator.make_token(user)])
    return settings.SITE_URL + path


def user_of_link(uid: str, token: str) -> User | None:
    """Return the reset link's user; None if it was used, has expired or is wrong."""
    try:
        pk = int(force_str(urlsafe_base64_decode(uid)))
    except (ValueError, UnicodeDecodeError):
        return None
    user = User.objects.filter(pk=pk, is_active=True).first() if pk < 2**31 else None
    return user if user and default_token_generator.check_token(user, token) else None


def set_password(user: User, password: str) -> None:
    """Set a new password; ends other sessions, reset links and the lock against guessing."""
    hashed = make_password(password)  # slow, so before the lock
    with transaction.atomic():
        user = get_user_model().objects.select_for_update().get(pk=user.pk)
        user.password = hashed
        user.save(update_fields=["password"])
    unlock(username=user.get_username())
    logger.info("new password for account %s", user.pk)


def set_email(user: User, address: str) -> None:
    get_user_model().objects.filter(pk=user.pk).update(email=address)


def send_reset_links(address: str) -> None:
    """Email a reset link to every account with this address, in a thread: the response must not tell if any has."""
    users = list(User.objects.filter(email__iexact=address, is_active=True).exclude(email="")[:MOST_EMAILS])
    emails = [_reset_email(user) for user in users or [User(username="nobody", email=address)]]
    due = [RESET_EMAILS.count(str(user.pk)) for user in users]
    run_in_background(_send, list(compress(emails, due)))


def _reset_email(user: User) -> EmailMessage:
    text = _(
        "Hello %(name)s,\n\nsomeone, probably you, asked for a new password. Use this link "
        "within 1 day to set it:\n\n%(link)s\n\nIf it was not you, ignore this email. Your "
        "password stays the same.\n"
    )
    values = {"name": user.get_username(), "link": reset_link(user)}
    return EmailMessage(_("Reset your password"), text % values, to=[user.email])


def run_in_background(function: Callable[..., None], *args: Any) -> None:
    Thread(target=function, args=args, daemon=True).start()


def _send(emails: list[EmailMessage]) -> None:
    for email in emails:
        try:
            email.send()
        except OSError:  # smtplib's errors are OSErrors
            logger.exception("could not send an email")


def account_data_of(user: User) -> dict[str, Any]:
    """Return everything stored about a user as JSON values, without password, key and codes."""
    name = user.get_username()
    actions = Action.objects.filter(actor=name).order_by("tournament", "number")
    attempts = AccessAttempt.objects.filter(username=name)
    return {
        "account": {
            "username": name,
            "email": user.email,
            "first_name": user.first_name,
            "last_name": user.last_name,
            "made": user.date_joined,
            "last_sign_in": user.last_login,
            "two_step_sign_in": is_on(user),
        },
        "staff": list(
            Staff.objects.filter(user=user)
            .order_by("tournament")
            .values("tournament__slug", "tournament__name", "role")
        ),
        "owns": list(user.tournaments.order_by("slug").values("slug", "name")),
        "plays": list(Entry.objects.filter(user=user).values("tournament__slug", "code", "name")),
        "invitations": list(
            Invite.objects.filter(by=user).values("tournament__slug", "role", "at", "expires_at")
        ),
        "rulesets": list(user.rulesets.values("key", "name", "revision")),
        "actions": list(actions.values("tournament__slug", "number", "at", "kind", "reason")),
        "wrong_passwords": list(attempts.values("attempt_time", "ip_address", "user_agent")),
    }


def delete_account(user: User) -> None:
    """Delete the account, its roles, invitations, sign-ins and codes; replace its name in logs. Can be repeated.

    Deletes its rulesets except those with a published version, which events may use. Raises WrongState while it owns
    an event.
    """
    refuse_owner(user)
    who = account_words(user)
    for tournament in events_that_name(user):
        forget_account(tournament, user, actor=user)
    with transaction.atomic():
        locked = User.objects.select_for_update().filter(pk=user.pk).first()
        if locked is None:  # the same form, sent twice at once
            return
        refuse_owner(locked)
        AccessAttempt.objects.filter(username=locked.get_username()).delete()
        locked.rulesets.filter(versions=None).delete()
        locked.rulesets.update(draft=None)
        locked.delete()
    logging.getLogger("tournament.log").info("%s deleted", who)


def refuse_owner(user: User) -> None:
    events = list(Tournament.objects.filter(owner=user).order_by("name").values_list("name", flat=True))
    if events:
        names = ", ".join(f"“{name}”" for name in events[:MOST_NAMED]) + (" …" if events[MOST_NAMED:] else "")
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
    return Tournament.objects.filter(
        reduce(or_, (Q(pk__in=rows.order_by().values("tournament")) for rows in mentions))
    )


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
