"""Django as a WSGI application. `manage.py serve` puts tournament/config/rsgi.py before it."""

import os
import sys

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from tournament.config.env import pool_connections
from tournament.monitoring.metric_files import FOLDER, reserve_metric_files

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournament.config.settings")
if not settings.TESTING:
    pool_connections(settings.DATABASES)
if FOLDER in os.environ:
    try:
        reserve_metric_files()  # before the first metric is made
    except OSError as error:
        del os.environ[FOLDER]
        print(f"Each worker shows its own metrics only: {error}", file=sys.stderr)
application = get_wsgi_application()
# A result asks the database a dozen times, and after each answer waits for the thread that runs meanwhile: this long.
sys.setswitchinterval(0.001)  # s
