"""Django as a WSGI application. `manage.py serve` puts tournament/config/rsgi.py before it."""

import os
import sys

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from tournament.config.env import pool_connections
from tournament.monitoring.worker_files import share_metrics

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournament.config.settings")
if not settings.TESTING:
    pool_connections(settings.DATABASES)
    try:
        share_metrics(settings.VAR_DIR / "metrics")  # before the first of them is made
    except OSError as error:
        print(f"Each worker shows its own metrics only: {error}", file=sys.stderr)
application = get_wsgi_application()
# A result asks the database a dozen times, and after each answer waits for the thread that runs meanwhile: this long.
sys.setswitchinterval(0.001)  # s
