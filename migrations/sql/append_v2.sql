-- Adds the events of one command to one stream, and writes the match's own rows with them: all of it, or nothing.
--
-- Outcomes: 'appended'; 'duplicate' when this command has been appended before (its versions are answered again); 'reused' when
-- its id stood for something else. Raises ES001 with the present version as its detail when the stream is not at p_expected,
-- ES002 when the stream is archived, and 40001 when this transaction is older than the one that wrote last: send it again.
--
-- This file is released and never changes; a different append is append_v3, so that two releases can run side by side.
CREATE FUNCTION es.append_v2(
    p_stream uuid, p_category text, p_expected bigint, p_command uuid, p_fingerprint bytea,
    p_ids uuid[], p_types text[], p_schema_versions smallint[], p_data jsonb[], p_meta jsonb[],
    p_game text, p_status text, p_visibility text, p_seats smallint, p_seats_open smallint, p_players text[], p_waits_for text[],
    p_due_at timestamptz, p_bots_owe boolean, p_shown jsonb, p_rematch_of uuid, p_seed bytea,
    OUT status text, OUT first_version bigint, OUT last_version bigint, OUT at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    n int := cardinality(p_ids);
    tx xid8 := pg_current_xact_id();
    now_epoch smallint;
    known record;
    head record;
BEGIN
    IF n = 0 THEN
        RAISE EXCEPTION 'an append without events' USING ERRCODE = '22023';
    END IF;
    -- Reading the epoch locks its table until the commit, so a bump of the epoch waits for every append in flight.
    SELECT e.epoch INTO STRICT now_epoch FROM es.epoch e;

    -- A twin in flight is waited for here.
    INSERT INTO es.commands (stream_id, command_id, fingerprint, first_version, last_version)
    VALUES (p_stream, p_command, p_fingerprint, p_expected + 1, p_expected + n)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        SELECT c.fingerprint, c.first_version, c.last_version, e.at INTO STRICT known
        FROM es.commands c JOIN es.events e ON e.stream_id = c.stream_id AND e.version = c.last_version
        WHERE c.stream_id = p_stream AND c.command_id = p_command;
        append_v2.status := CASE WHEN known.fingerprint = p_fingerprint THEN 'duplicate' ELSE 'reused' END;
        append_v2.first_version := known.first_version;
        append_v2.last_version := known.last_version;
        append_v2.at := known.at;
        RETURN;
    END IF;

    IF p_expected = 0 THEN
        INSERT INTO es.streams (stream_id, category, version, last_epoch, last_tx)
        VALUES (p_stream, p_category, n, now_epoch, tx)
        ON CONFLICT DO NOTHING;
    ELSE
        -- The last condition is the order guard: within a stream the order of transactions must be the order of versions,
        -- or a reader of all streams would meet them the wrong way round.
        UPDATE es.streams s
        SET version = s.version + n, last_epoch = now_epoch, last_tx = tx
        WHERE s.stream_id = p_stream AND s.version = p_expected AND s.archived_at IS NULL
          AND (s.last_epoch < now_epoch OR (s.last_epoch = now_epoch AND s.last_tx <= tx));
    END IF;
    IF NOT FOUND THEN
        -- No position has been taken from the sequence yet: a lost race leaves no hole.
        SELECT s.version, s.archived_at INTO head FROM es.streams s WHERE s.stream_id = p_stream;
        IF head.archived_at IS NOT NULL THEN
            RAISE EXCEPTION 'the stream is archived' USING ERRCODE = 'ES002';
        ELSIF head.version = p_expected THEN
            RAISE EXCEPTION 'this transaction is older than the last one of the stream' USING ERRCODE = '40001';
        END IF;
        RAISE EXCEPTION 'wrong expected version' USING ERRCODE = 'ES001', DETAIL = coalesce(head.version, 0)::text;
    END IF;

    append_v2.at := clock_timestamp();
    INSERT INTO es.events (stream_id, version, epoch, tx_id, event_id, type, schema_version, data, meta, at)
    SELECT p_stream, p_expected + u.ordinal, now_epoch, tx, u.id, u.type, u.schema_version, u.data, u.meta, append_v2.at
    FROM unnest(p_ids, p_types, p_schema_versions, p_data, p_meta)
        WITH ORDINALITY AS u (id, type, schema_version, data, meta, ordinal)
    ORDER BY u.ordinal;

    INSERT INTO public.match_current AS m (stream_id, version, game, status, visibility, seats, seats_open, players,
        waits_for, opened_at, updated_at, ended_at, due_at, bots_at, shown, rematch_of)
    VALUES (p_stream, p_expected + n, p_game, p_status, p_visibility, p_seats, p_seats_open, p_players,
        p_waits_for, append_v2.at, append_v2.at, CASE WHEN p_status = 'ended' THEN append_v2.at END, p_due_at,
        -- The process that appends plays its bots itself; others look after those that are still owing a little later.
        CASE WHEN p_bots_owe THEN append_v2.at + interval '1 second' END, p_shown, p_rematch_of)
    ON CONFLICT (stream_id) DO UPDATE
    SET version = excluded.version, status = excluded.status, visibility = excluded.visibility, seats = excluded.seats,
        seats_open = excluded.seats_open, players = excluded.players, waits_for = excluded.waits_for, updated_at = excluded.updated_at,
        ended_at = CASE WHEN p_status = 'ended' THEN coalesce(m.ended_at, excluded.ended_at) END, due_at = excluded.due_at,
        bots_at = excluded.bots_at, shown = excluded.shown, rematch_of = excluded.rematch_of
    WHERE m.version < excluded.version;

    IF p_seed IS NOT NULL THEN
        INSERT INTO public.match_seeds (stream_id, seed) VALUES (p_stream, p_seed);
    END IF;
    IF p_status = 'ended' THEN
        UPDATE public.match_seeds d SET opened_at = append_v2.at WHERE d.stream_id = p_stream AND d.opened_at IS NULL;
    END IF;

    append_v2.status := 'appended';
    append_v2.first_version := p_expected + 1;
    append_v2.last_version := p_expected + n;
END $$;
