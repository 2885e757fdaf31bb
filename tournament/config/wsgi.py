"""Django as a WSGI application. For `manage.py serve`, tournament/config/rsgi.py calls it."""

import os
import sys

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from tournament.config.env import pool_connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournament.config.settings")
if not settings.TESTING:
    pool_connections(settings.DATABASES)
application = get_wsgi_application()
# A result takes a dozen queries, and after each one its thread may wait this long for another thread.
sys.setswitchinterval(0.001)  # s
