-- Begins a new epoch and answers its number. Needed once after the data has moved to a server whose transaction numbers are
-- behind the stored ones (a logical restore or switchover): events of the old epoch come first, whatever their numbers.
CREATE FUNCTION es.bump_epoch_v1() RETURNS smallint
LANGUAGE plpgsql AS $$
DECLARE
    begun smallint;
BEGIN
    -- Waits for every append in flight and holds back new ones until the new epoch is in force.
    LOCK TABLE es.epoch IN ACCESS EXCLUSIVE MODE;
    UPDATE es.epoch SET epoch = epoch + 1, since = clock_timestamp() RETURNING epoch INTO STRICT begun;
    -- A sequence that fell behind would hand out positions twice.
    PERFORM setval('es.event_position', greatest(nextval('es.event_position'), (SELECT max(position) + 1 FROM es.events)));
    RETURN begun;
END $$;
