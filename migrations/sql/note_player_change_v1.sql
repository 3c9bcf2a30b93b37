-- Says which account has changed, so that a process need not ask again for every account that it knows.
-- The trigger is deferred to the commit: there the lock is the last one that a transaction takes, and nobody waits for anything under
-- it. The numbers are given under it, so a later one never becomes visible before an earlier one.
CREATE FUNCTION public.note_player_change_v1() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    said bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('public.player_changes', 0));
    INSERT INTO public.player_changes (number, player_id)
    SELECT coalesce(max(number), 0) + 1, OLD.player_id FROM public.player_changes
    RETURNING number INTO said;
    DELETE FROM public.player_changes WHERE number <= said - 10000;
    RETURN NULL;
END $$;
