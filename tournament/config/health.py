"""Two pages for monitoring: whether the server is alive, and whether it is ready."""

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from tournament.actionlog import triggers
from tournament.web.disk import is_disk_full


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; asks nothing of the database."""
    return HttpResponse("alive\n", content_type="text/plain; charset=utf-8")


@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when events can be run; else 503 with one line for each thing that is missing."""
    problems = find_problems()
    body = "\n".join(problems or ["ready"]) + "\n"
    return HttpResponse(body, status=503 if problems else 200, content_type="text/plain; charset=utf-8")


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
