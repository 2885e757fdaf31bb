"""A publisher: its rulesets, and who may edit them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from standings.forms.rulesets import MemberForm
from tournament.access.fetch import own_publisher, publisher_of
from tournament.errors import Refused
from tournament.rulebooks.library import rulebooks_of_publisher
from tournament.services.rulebooks import remove_member, set_member
from tournament.web.staff_pages import see_other


@require_safe
@cache_control(private=True, no_cache=True)
def publisher(request: HttpRequest, slug: str) -> HttpResponse:
    """Its published rulesets for everybody; drafts and members for its own people."""
    return _page(request, publisher_of(request, slug), MemberForm())


def _page(request: HttpRequest, publisher: Any, form: MemberForm, status: int = 200) -> HttpResponse:
    context = {
        "publisher": publisher,
        "books": rulebooks_of_publisher(publisher, drafts=publisher.role is not None),
        "members": publisher.members.select_related("user") if publisher.role else [],
        "form": form,
    }
    return render(request, "standings/rulesets/publisher.html", context, status=status)


@require_POST
@cache_control(private=True, no_cache=True)
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Take somebody in, change their role, or take them out (`remove` names them)."""
    publisher = own_publisher(request, slug)
    form = MemberForm(request.POST)
    leaving = request.POST.get("remove", "")
    try:
        if leaving:
            remove_member(publisher, leaving, actor=request.user)
            messages.success(request, _("%(name)s is no longer a member.") % {"name": leaving})
        elif form.is_valid():
            data = form.cleaned_data
            set_member(publisher, data["username"], data["role"], actor=request.user)
            messages.success(request, _("%(name)s is a member now.") % {"name": data["username"]})
        else:
            return _page(request, publisher, form, 422)
    except Refused as error:
        form = form if not leaving else MemberForm(initial={"username": leaving})
        messages.error(request, str(error))
        return _page(request, publisher, form, error.status)
    return see_other(reverse("publisher", args=[publisher.slug]))
