"""A database account that runs the app and cannot take its guards off: it reads and writes rows, and owns nothing.

PostgreSQL lets the owner of a table empty it at once, and remove its triggers. So migrations run as the owner, and the
server as a role that can do neither. What the log and published rulesets are never asked to lose it may not even try.
"""

from django.db import connection, transaction
from psycopg import sql

from tournament.errors import Refused

ROWS = "SELECT, INSERT, UPDATE, DELETE"
# Where less will do. Of the log the name and texts of people change who leave it, and it goes with its event:
# triggers see to both.
LESS = {
    "tournament_action": "SELECT, INSERT, DELETE, UPDATE (actor, reason, changes)",
    "tournament_rulebookaction": "SELECT, INSERT",
    "tournament_ruleset": "SELECT, INSERT",
    "django_migrations": "SELECT",
}


def grant_rows(name: str) -> bool:
    """Give a role the rows of all tables, and take everything else from it. Returns whether it was made for that.

    Raises Refused on SQLite, and for a role that could give itself more.
    """
    if connection.vendor != "postgresql":
        raise Refused("SQLite has no roles. Name a PostgreSQL database in DATABASE_URL, as its owner.")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
        is_new = cursor.fetchone() is None
        if is_new:
            _run("CREATE ROLE {role} LOGIN", name)
        _check(name)
        cursor.execute(  # what is in a partition is reached by the table that it is of
            "SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text = current_schema() "
            "AND relkind IN ('r', 'p') AND NOT relispartition"
        )
        tables = [row[0] for row in cursor.fetchall()]
        _run("REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {role}", name)
        _run("GRANT CONNECT ON DATABASE {database} TO {role}", name)
        _run("GRANT USAGE ON SCHEMA {schema} TO {role}", name)
        _run("GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}", name)
        for table in tables:
            _run(f"GRANT {LESS.get(table, ROWS)} ON {{table}} TO {{role}}", name, table)
        for rights in (f"{ROWS} ON TABLES", "USAGE ON SEQUENCES"):  # of later migrations
            _run(f"ALTER DEFAULT PRIVILEGES IN SCHEMA {{schema}} GRANT {rights} TO {{role}}", name)
        _forbid_new_tables(name)
    return is_new


def owns_tables() -> bool:
    """Whether the account that is connected may migrate: it owns the tables, or there are none yet."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_has_role(current_user, tableowner, 'USAGE') FROM pg_tables "
            "WHERE schemaname = current_schema() AND tablename = 'tournament_action'"
        )
        row = cursor.fetchone()
    return row is None or bool(row[0])


def _run(statement: str, role: str, table: str = "") -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema(), current_database()")
        schema, database = cursor.fetchone()
        names = {"role": role, "schema": schema, "database": database, "table": table}
        cursor.execute(
            sql.SQL(statement).format(**{key: sql.Identifier(name) for key, name in names.items()})
        )


def _check(name: str) -> None:
    """Raises Refused for a superuser, the owner, and a role that may become one of them or make others."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT rolsuper OR rolcreaterole OR rolreplication OR EXISTS (SELECT 1 FROM pg_tables "
            "WHERE schemaname = current_schema() AND pg_has_role(rolname, tableowner, 'MEMBER')) "
            "FROM pg_roles WHERE rolname = %s",
            [name],
        )
        if cursor.fetchone()[0]:
            raise Refused(
                f"{name} owns tables or may make roles, so no grant would bind it. Name another role."
            )


def _forbid_new_tables(name: str) -> None:
    """Before PostgreSQL 15 everyone may make tables in the public schema."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_schema_privilege(%s, current_schema(), 'CREATE')", [name])
        if cursor.fetchone()[0]:
            _run("REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC, {role}", name)
