"""Three pages for monitoring: whether the server is alive, whether it is ready, and what it does."""

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournament.actionlog import triggers
from tournament.config.env import is_loopback
from tournament.monitoring.installation import current_metrics
from tournament.monitoring.replica_lag import has_replica, lag
from tournament.web.disk import is_disk_full

PASSED_ON = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip")


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; asks nothing of the database."""
    return HttpResponse("alive\n", content_type="text/plain; charset=utf-8")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when events can be run; else 503 with one line for each thing that is missing.

    How far the replica is behind is said, too: no reason to send people to another server.
    """
    problems = find_problems()
    body = "\n".join([*(problems or ["ready"]), *describe_replica(measure=not problems)]) + "\n"
    return HttpResponse(body, status=503 if problems else 200, content_type="text/plain; charset=utf-8")


def describe_replica(*, measure: bool) -> list[str]:
    """One line, where there is a replica. `measure`: compare it with the primary first, which waits if that is gone."""
    if not has_replica():
        return []
    if measure:
        lag.measure_if_old()
    return [lag.describe()]


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus' metrics, for who has the token, and for this machine itself; no one else learns of them."""
    if not (_has_token(request) or _is_this_machine(request)):
        raise Http404
    return HttpResponse(current_metrics(), content_type="text/plain; version=0.0.4; charset=utf-8")


def _has_token(request: HttpRequest) -> bool:
    sent = request.headers.get("Authorization", "")
    return bool(settings.METRICS_TOKEN) and constant_time_compare(sent, f"Bearer {settings.METRICS_TOKEN}")


def _is_this_machine(request: HttpRequest) -> bool:
    """Whether the request comes from here, to here, and was not passed on by a proxy."""
    here = is_loopback(request.META.get("REMOTE_ADDR", "")) and is_loopback(
        request.get_host().rsplit(":", 1)[0]
    )
    return here and not any(name in request.headers for name in PASSED_ON)


def find_problems() -> list[str]:
    """What keeps this installation from being used: a full disk, no database, migrations to apply, missing triggers."""
    full = ["the disk is full: free some space"] if is_disk_full() else []
    return [*full, *find_problems_of_database()]


def find_problems_of_database() -> list[str]:
    """No database, migrations to apply, missing triggers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        waiting = [f"migration not applied: {step.app_label}.{step.name}" for step, _ in plan]
        return waiting or [f"guard missing: {name}" for name in triggers.missing_triggers()]
    except DatabaseError as error:
        return [f"database not reachable: {type(error).__name__}"]
