"""Addresses of people: accounts, invitations, an event's staff."""

from django.urls import path

from tournament.views import accounts, entry, staff

STAFF = "t/<slug:slug>/desk/staff/"

urlpatterns = [
    path("signup/", accounts.sign_up, name="sign-up"),
    path("login/", accounts.sign_in, name="login"),
    path("logout/", accounts.sign_out, name="logout"),
    path("login/typed/", accounts.resend, name="resend"),
    path("account/", accounts.account, name="account"),
    path("account/mail/", accounts.change_mail, name="account-mail"),
    path("password/", accounts.forgotten, name="forgotten"),
    path("password/<slug:uid>/<slug:token>/", accounts.reset, name="reset-password"),
    path("invite/<slug:key>/", staff.accept, name="invite"),
    path(STAFF, staff.staff, name="staff"),
    path(f"{STAFF}invites/", staff.invite_staff, name="invite-staff"),
    path(f"{STAFF}invites/withdraw/", staff.revoke_invite, name="revoke-invite"),
    path(f"{STAFF}members/", staff.member, name="staff-member"),
    path(f"{STAFF}transfer/", staff.transfer, name="transfer"),
    path(f"{STAFF}players/<code:code>/", entry.change_account, name="entry-staff"),
    path(f"{STAFF}leave/", staff.leave, name="leave-staff"),
]
