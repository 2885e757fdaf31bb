"""`manage.py reset_password USERNAME`: print a link for a new password. Can also create a first account."""

import sys
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.management.base import CommandParser

from tournament.errors import NotFound, Refused
from tournament.management.base import PlainCommand
from tournament.services.accounts import reset_link, set_password, turn_off_two_step


class Command(PlainCommand):
    help = "Print a one-time link, valid for 1 day, to set a new password."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username")
        parser.add_argument("--create", action="store_true", help="make the account first")
        parser.add_argument(
            "--stdin", action="store_true", help="read the new password from standard input instead"
        )
        parser.add_argument(
            "--turn-off-two-step",
            action="store_true",
            help="no longer ask for a code at sign-in, for someone who lost the phone and the recovery codes",
        )

    def run(self, **options: Any) -> int | None:
        name = options["username"]
        user = User.objects.filter(username=name).first()
        if user is None and not options["create"]:
            raise NotFound(f"There is no account “{name}”. Make one with --create.")
        if user is not None and options["create"]:
            raise Refused(f"The account “{name}” already exists. Leave out --create.")
        if user is None and options["turn_off_two_step"]:
            raise Refused("A new account has no two-step sign-in. Leave out --turn-off-two-step.")
        password = sys.stdin.readline().rstrip("\r\n") if options["stdin"] else None
        if password is not None:
            validate_password(password, user)
        user = user or _new_account(name)
        answer: dict[str, Any] = {"username": name}
        text = ""
        if options["turn_off_two_step"]:
            answer["two_step_turned_off"] = turn_off_two_step(user)
            text = f"Two-step sign-in of {name} is off.\n"
        if password is None:
            link = answer["link"] = reset_link(user)
            text += f"One-time link for {name} to set a new password, valid for 1 day:\n{link}"
        else:
            set_password(user, password)
            text += f"{name} has a new password."
        self.emit(answer, text)
        return None


def _new_account(name: str) -> User:
    UnicodeUsernameValidator()(name)
    if len(name) > 150 or User.objects.filter(username__iexact=name).exists():
        raise Refused(f"“{name}” is too long, or differs from an existing name only in capital letters.")
    return User.objects.create_user(name)
