from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournament.actionlog import triggers
from tournament.config.env import is_loopback
from tournament.monitoring.installation import current_metrics, is_disk_full

RECENT = 3  # s: a check costs as much as seven polls, and anyone may ask
PASSED_ON = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip")


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Return 200 as long as the process answers, without the database."""
    return HttpResponse("alive\n", content_type="text/plain; charset=utf-8")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Return 200 if events can be run, else 503 with one line for each problem."""
    of_database: Any = caches["process"].get_or_set("problems", find_problems_of_database, RECENT)
    problems = [*find_full_disk(), *of_database]
    body = "\n".join(problems or ["ready"]) + "\n"
    return HttpResponse(body, status=503 if problems else 200, content_type="text/plain; charset=utf-8")


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return Prometheus metrics, to this machine and to requests with the token only."""
    if not (_has_token(request) or _is_this_machine(request)):
        raise Http404
    return HttpResponse(current_metrics(), content_type="text/plain; version=0.0.4; charset=utf-8")


def _has_token(request: HttpRequest) -> bool:
    sent = request.headers.get("Authorization", "")
    return bool(settings.METRICS_TOKEN) and constant_time_compare(sent, f"Bearer {settings.METRICS_TOKEN}")


def _is_this_machine(request: HttpRequest) -> bool:
    ends = request.META.get("REMOTE_ADDR", ""), request.get_host().rsplit(":", 1)[0]
    return all(map(is_loopback, ends)) and not any(name in request.headers for name in PASSED_ON)


def find_problems() -> list[str]:
    """List reasons why this installation cannot work: full disk, no database, missing migrations or triggers."""
    return [*find_full_disk(), *find_problems_of_database()]


def find_full_disk() -> list[str]:
    return ["the disk is full: free some space"] if is_disk_full() else []


def find_problems_of_database() -> list[str]:
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        waiting = [f"migration not applied: {step.app_label}.{step.name}" for step, _ in plan]
        return waiting or [f"guard missing: {name}" for name in triggers.missing_triggers()]
    except DatabaseError as error:
        return [f"database not reachable: {type(error).__name__}"]
