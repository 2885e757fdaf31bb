"""A publisher: its rulesets, and who may edit them."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from standings.forms.rulesets import MemberRemovalForm, PublisherMemberForm
from tournament.access.fetch import own_publisher, publisher_of
from tournament.access.throttle import UNKNOWN_NAMES
from tournament.errors import NotFound, Refused
from tournament.rulebooks.library import rulebooks_of_publisher
from tournament.services.publishers import remove_member, set_member
from tournament.web.staff_pages import private_view, report_success


@private_view("GET")
def publisher(request: HttpRequest, slug: str) -> HttpResponse:
    """The publisher's rulesets for everyone; its drafts and members for its members."""
    return _publisher_page(request, publisher_of(request, slug), PublisherMemberForm())


def _publisher_page(
    request: HttpRequest, publisher: Any, form: PublisherMemberForm, status: int = 200
) -> HttpResponse:
    members = publisher.members.select_related("user") if publisher.role else []
    context = {
        "publisher": publisher,
        "books": rulebooks_of_publisher(publisher, drafts=publisher.role is not None),
        "members": [
            (member, MemberRemovalForm(auto_id=False, initial={"remove": member.user.get_username()}))
            for member in members
        ],
        "form": form,
    }
    return render(request, "standings/rulesets/publisher.html", context, status=status)


@private_view("POST")
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a member, change a member's role, or remove the member that `remove` names."""
    publisher = own_publisher(request, slug)
    form, removal = PublisherMemberForm(request.POST), MemberRemovalForm(request.POST)
    try:
        if removal.is_valid():
            name = removal.cleaned_data["remove"]
            form = PublisherMemberForm(initial={"username": name})
            remove_member(publisher, name, actor=request.user)
            message = _("%(name)s is no longer a member.") % {"name": name}
        elif form.is_valid():
            _add_member(request, publisher, form)
            name = form.cleaned_data["username"]
            message = _("%(name)s is a member now.") % {"name": name}
        else:
            return _publisher_page(request, publisher, form, 422)
    except Refused as error:
        messages.error(request, str(error))
        return _publisher_page(request, publisher, form, error.status)
    return report_success(request, message, "publisher", publisher.slug)


def _add_member(request: HttpRequest, publisher: Any, form: PublisherMemberForm) -> None:
    """Add the member, unless this account has typed too many unknown usernames. Raises Refused and NotFound."""
    account = str(request.user.pk)
    if UNKNOWN_NAMES.is_spent(account):
        raise Refused(_("Too many unknown usernames. Wait 10 minutes, then try again."), status=429)
    try:
        set_member(publisher, **form.cleaned_data, actor=request.user)
    except NotFound:
        UNKNOWN_NAMES.count(account)
        raise
