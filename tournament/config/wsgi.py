"""Django as a WSGI application. `manage.py serve` puts tournament/config/rsgi.py before it."""

import os
import sys

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from tournament.config.env import pool_connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournament.config.settings")
if not settings.TESTING:
    pool_connections(settings.DATABASES)
application = get_wsgi_application()
# A result asks the database a dozen times, and after each answer waits for the thread that runs meanwhile: this long.
sys.setswitchinterval(0.001)  # s
