-- Lets the role `swiss` read and write rows, and nothing else. PostgreSQL lets the owner of a table empty it and remove
-- its triggers, so `migrate` runs as the owner, and the server as this role. See docs/production.md.
-- As the owner of the tables, once the role exists; again after each `migrate` and `restore`:
--   runuser -u postgres -- psql --single-transaction --file - swiss < deploy/role.sql
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM swiss;
REVOKE CREATE ON SCHEMA public FROM PUBLIC, swiss;
GRANT USAGE ON SCHEMA public TO swiss;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO swiss;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO swiss;
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM swiss;
REVOKE UPDATE, DELETE ON tournament_rulesetversion FROM swiss;
-- In the log only names and texts change, when a person's data is deleted. Triggers check that, and each deletion.
REVOKE UPDATE ON tournament_action FROM swiss;
GRANT UPDATE (actor, reason, changes) ON tournament_action TO swiss;
DO $$ DECLARE part regclass; BEGIN -- see partition.sql
    FOR part IN SELECT oid FROM pg_class WHERE relispartition AND relkind = 'r' LOOP
        EXECUTE format('REVOKE ALL ON %s FROM swiss', part);
    END LOOP;
END $$;
