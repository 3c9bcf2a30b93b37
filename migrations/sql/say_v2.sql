-- Adds a message to the talk at a match, in one trip: nobody who is slow to ask again holds the lock on the talk meanwhile.
--
-- Outcomes: 'said'; 'known' when this command has said something before, which is answered again; 'moved_on' when the match is not
-- at p_version any more; 'too_late' when it ended longer than p_after_end ago; 'refused' unless p_sayable; 'too_fast' when the
-- player has sent p_most messages within p_within, and may send the next after `wait`; 'too_much' when they have sent p_in_all in all.
-- Only 'said' adds anything. Whispers count for who sends them alone: a bound that all share would tell of them.
--
-- This file is released and never changes; a different one is say_v3.
CREATE FUNCTION public.say_v2(
    p_stream uuid, p_version bigint, p_sayable boolean, p_message text, p_command uuid, p_player text, p_seat smallint,
    p_to_player text, p_to_seat smallint, p_text text, p_phase text, p_face smallint,
    p_most integer, p_within interval, p_in_all integer, p_after_end interval,
    OUT status text, OUT wait interval, OUT message public.match_messages)
LANGUAGE plpgsql AS $$
DECLARE
    now_at timestamptz;
    current record;
BEGIN
    -- From here on nobody else adds a message to this match, so numbers, versions and moments ascend together.
    INSERT INTO public.match_talk (stream_id, messages) VALUES (p_stream, 0) ON CONFLICT DO NOTHING;
    PERFORM FROM public.match_talk t WHERE t.stream_id = p_stream FOR UPDATE;

    SELECT m.* INTO message FROM public.match_messages m WHERE m.stream_id = p_stream AND m.command_id = p_command;
    IF FOUND THEN
        status := 'known';
        RETURN;
    END IF;

    now_at := clock_timestamp();
    SELECT c.version, c.ended_at INTO STRICT current FROM public.match_current c WHERE c.stream_id = p_stream;
    IF current.version <> p_version THEN
        status := 'moved_on';
        RETURN;
    ELSIF current.ended_at < now_at - p_after_end THEN
        status := 'too_late';
        RETURN;
    ELSIF NOT p_sayable THEN
        status := 'refused';
        RETURN;
    END IF;

    SELECT m.at + p_within - now_at INTO wait FROM public.match_messages m
    WHERE m.stream_id = p_stream AND m.player_id = p_player ORDER BY m.at DESC OFFSET p_most - 1 LIMIT 1;
    IF wait > interval '0' THEN
        status := 'too_fast';
        RETURN;
    END IF;

    PERFORM FROM public.match_messages m
    WHERE m.stream_id = p_stream AND m.player_id = p_player ORDER BY m.at OFFSET p_in_all - 1 LIMIT 1;
    IF FOUND THEN
        status := 'too_much';
        RETURN;
    END IF;

    WITH numbered AS (
        UPDATE public.match_talk t SET messages = t.messages + 1 WHERE t.stream_id = p_stream RETURNING t.messages
    )
    INSERT INTO public.match_messages (stream_id, number, message_id, command_id, at, version, player_id, seat, to_player_id, to_seat,
        text, phase, face)
    SELECT p_stream, n.messages, p_message, p_command, now_at, p_version, p_player, p_seat, p_to_player, p_to_seat,
        p_text, p_phase, p_face
    FROM numbered n
    RETURNING * INTO message;
    status := 'said';
END $$;
