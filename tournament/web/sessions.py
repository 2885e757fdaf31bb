"""Sessions in Django's own table, read by a query that is made once: every page of the staff asks it."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from tournament.models.prepared import Prepared

_SESSION = Prepared(lambda key: Session.objects.filter(session_key=key).order_by(), texts=(0,))


class SessionStore(db.SessionStore):
    """Django's sessions in the database."""

    def _get_session_from_db(self) -> Session | None:
        key = self.session_key or ""
        session = _SESSION.first(key) if key.isalnum() else None  # a cookie may hold anything
        if session is None or session.expire_date <= timezone.now():
            self._session_key = None
            return None
        return session
