"""Everything that is kept about an account, for its user."""

from typing import Any

from axes.models import AccessAttempt
from django.contrib.auth.models import User

from tournament.access.two_step import is_on
from tournament.models import Action, Entry, Invite, PublisherMember, RulebookAction, Ruleset, Staff


def account_data_of(user: User) -> dict[str, Any]:
    """What is kept about a user: JSON values, without password, key and codes."""
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
            .values("tournament__slug", "tournament__name", "role", "first_table", "last_table")
        ),
        "owns": list(user.tournaments.order_by("slug").values("slug", "name")),
        "plays": list(Entry.objects.filter(user=user).values("tournament__slug", "code", "name")),
        "invitations": list(
            Invite.objects.filter(by=user).values("tournament__slug", "role", "at", "expires_at")
        ),
        "templates": list(user.event_templates.values("name", "settings")),
        "publishers": list(PublisherMember.objects.filter(user=user).values("publisher__name", "role")),
        "rulesets": list(Ruleset.objects.filter(published_by=name).values("key", "version", "published_at")),
        "ruleset_changes": list(
            RulebookAction.objects.filter(actor=name).values("rulebook__key", "number", "at", "kind")
        ),
        "actions": list(actions.values("tournament__slug", "number", "at", "kind", "reason")),
        "wrong_passwords": list(attempts.values("attempt_time", "ip_address", "user_agent")),
    }
