-- Partitions the log and the seats, most of all rows and bytes, by ranges of events. For platforms; see docs/production.md.
-- As the owner of the tables, with all web processes stopped:
--   runuser -u postgres -- psql --single-transaction --file - swiss < deploy/partition.sql
-- Events are numbered as they are made, so a range is a season: it can be detached, archived or put on slower disks.
-- Afterwards `migrate` brings the triggers back, and `role.sql` the rights of the app's account. A later constraint on
-- these tables has to hold the column tournament_id.

CREATE FUNCTION partition_by_tournament(name text, events bigint, ranges integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    old text := name || '_whole';
    keys text[];  -- statements that make the foreign keys
    indexes text[];  -- and the indexes, unique ones with the event in them: it follows from what they hold
    definition text;
    newest bigint;
BEGIN
    SELECT coalesce(array_agg(format('ALTER TABLE %I ADD CONSTRAINT %I %s', name, conname, pg_get_constraintdef(oid))), '{}')
        INTO keys FROM pg_constraint WHERE conrelid = name::regclass AND contype = 'f';
    SELECT coalesce(array_agg(
            CASE WHEN indisunique AND NOT pg_get_indexdef(indexrelid) ~ '\(.*\ytournament_id\y'
                THEN regexp_replace(pg_get_indexdef(indexrelid), 'btree \(', 'btree (tournament_id, ')
                ELSE pg_get_indexdef(indexrelid) END), '{}')
        INTO indexes FROM pg_index WHERE indrelid = name::regclass AND NOT indisprimary;

    EXECUTE format('ALTER TABLE %I RENAME TO %I', name, old);
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (tournament_id)', name, old);
    FOR n IN 0..ranges - 1 LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)', name || '_' || n, name, n * events, (n + 1) * events);
    END LOOP;
    EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', name || '_rest', name);

    EXECUTE format('INSERT INTO %I SELECT * FROM %I', name, old);
    EXECUTE format('SELECT coalesce(max(id), 0) + 1 FROM %I', old) INTO newest;
    EXECUTE format('DROP TABLE %I', old);
    EXECUTE format('CREATE SEQUENCE %I OWNED BY %I.id START %s', name || '_id_seq', name, newest);
    EXECUTE format('ALTER TABLE %I ALTER id SET DEFAULT nextval(%L), ADD PRIMARY KEY (tournament_id, id)', name, name || '_id_seq');
    EXECUTE format('CREATE INDEX ON %I (id)', name);
    FOREACH definition IN ARRAY indexes || keys LOOP
        EXECUTE definition;
    END LOOP;
END $$;

-- 8 ranges of 125,000 events. Not many more: what is looked up by its match alone is looked for in each of them.
SELECT partition_by_tournament('tournament_action', 125000, 8);
SELECT partition_by_tournament('tournament_seat', 125000, 8);
DROP FUNCTION partition_by_tournament;
