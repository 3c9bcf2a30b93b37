-- Adds the events of many commands, each to a stream of its own, in one transaction: for each of them what append_v2 does, all of it
-- or nothing.
--
-- Answers with the streams that were appended to, and when. Whatever stands in the way of one (its command was appended before, its
-- stream is at another version, archived, held by somebody else at this moment, or was written by a later transaction), it is left
-- out, nothing of it stays, and no other waits for it: send it alone to append_v2, which says what it is. No two may be of one stream.
--
-- This file is released and never changes; a different append is append_many_v2, so that two releases can run side by side.
CREATE FUNCTION es.append_many_v1(p_appends es.appending_v1[], OUT appended uuid[], OUT at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    tx xid8 := pg_current_xact_id();
    now_epoch smallint;
    noted uuid[];
BEGIN
    -- Reading the epoch locks its table until the commit, so a bump of the epoch waits for every append in flight.
    SELECT e.epoch INTO STRICT now_epoch FROM es.epoch e;

    -- A twin in flight is waited for here, in one order for all, before any stream is held.
    WITH fresh AS (
        INSERT INTO es.commands (stream_id, command_id, fingerprint, first_version, last_version)
        SELECT a.stream, a.command, a.fingerprint, a.expected + 1, a.expected + cardinality(a.ids)
        FROM unnest(p_appends) a WHERE cardinality(a.ids) > 0 ORDER BY a.stream, a.command
        ON CONFLICT DO NOTHING RETURNING stream_id
    )
    SELECT coalesce(array_agg(f.stream_id), '{}') INTO noted FROM fresh f;

    WITH opened AS (
        INSERT INTO es.streams (stream_id, category, version, last_epoch, last_tx)
        SELECT a.stream, a.category, cardinality(a.ids), now_epoch, tx
        FROM unnest(p_appends) a WHERE a.expected = 0 AND a.stream = ANY (noted) ORDER BY a.stream
        ON CONFLICT DO NOTHING RETURNING stream_id
    ), free AS MATERIALIZED (
        SELECT s.stream_id FROM es.streams s WHERE s.stream_id = ANY (noted) FOR UPDATE SKIP LOCKED
    ), moved AS (
        -- The last condition is the order guard, as in append_v2.
        UPDATE es.streams s
        SET version = s.version + cardinality(a.ids), last_epoch = now_epoch, last_tx = tx
        FROM unnest(p_appends) a JOIN free f ON f.stream_id = a.stream
        WHERE s.stream_id = a.stream AND a.expected > 0 AND s.version = a.expected AND s.archived_at IS NULL
          AND (s.last_epoch < now_epoch OR (s.last_epoch = now_epoch AND s.last_tx <= tx))
        RETURNING s.stream_id
    )
    SELECT coalesce(array_agg(stream_id), '{}') INTO append_many_v1.appended
    FROM (SELECT stream_id FROM opened UNION ALL SELECT stream_id FROM moved) AS done;

    -- No position has been taken from the sequence yet: what was left out leaves no hole.
    append_many_v1.at := clock_timestamp();
    INSERT INTO es.events (stream_id, version, epoch, tx_id, event_id, type, schema_version, data, meta, at)
    SELECT a.stream, a.expected + u.ordinal, now_epoch, tx, u.id, u.type, u.schema_version, u.data, u.meta, append_many_v1.at
    FROM unnest(p_appends) a
    CROSS JOIN LATERAL unnest(a.ids, a.types, a.schema_versions, a.data, a.meta)
        WITH ORDINALITY AS u (id, type, schema_version, data, meta, ordinal)
    WHERE a.stream = ANY (append_many_v1.appended) ORDER BY a.stream, u.ordinal;

    INSERT INTO public.match_current AS m (stream_id, version, game, status, visibility, seats, seats_open, players,
        waits_for, opened_at, updated_at, ended_at, due_at, bots_at, shown, rematch_of)
    SELECT a.stream, a.expected + cardinality(a.ids), a.game, a.status, a.visibility, a.seats, a.seats_open, a.players,
        a.waits_for, append_many_v1.at, append_many_v1.at, CASE WHEN a.status = 'ended' THEN append_many_v1.at END, a.due_at,
        CASE WHEN a.bots_owe THEN append_many_v1.at + interval '1 second' END, a.shown, a.rematch_of
    FROM unnest(p_appends) a WHERE a.stream = ANY (append_many_v1.appended) ORDER BY a.stream
    ON CONFLICT (stream_id) DO UPDATE
    SET version = excluded.version, status = excluded.status, visibility = excluded.visibility, seats = excluded.seats,
        seats_open = excluded.seats_open, players = excluded.players, waits_for = excluded.waits_for, updated_at = excluded.updated_at,
        ended_at = CASE WHEN excluded.status = 'ended' THEN coalesce(m.ended_at, excluded.ended_at) END, due_at = excluded.due_at,
        bots_at = excluded.bots_at, shown = excluded.shown, rematch_of = excluded.rematch_of
    WHERE m.version < excluded.version;

    INSERT INTO public.match_seeds (stream_id, seed)
    SELECT a.stream, a.seed FROM unnest(p_appends) a WHERE a.seed IS NOT NULL AND a.stream = ANY (append_many_v1.appended);
    UPDATE public.match_seeds d SET opened_at = append_many_v1.at
    FROM unnest(p_appends) a
    WHERE d.stream_id = a.stream AND a.status = 'ended' AND d.opened_at IS NULL AND a.stream = ANY (append_many_v1.appended);

    IF cardinality(append_many_v1.appended) < cardinality(noted) THEN
        DELETE FROM es.commands c USING unnest(p_appends) a
        WHERE c.stream_id = a.stream AND c.command_id = a.command
          AND a.stream = ANY (noted) AND NOT a.stream = ANY (append_many_v1.appended);
    END IF;
END $$;
