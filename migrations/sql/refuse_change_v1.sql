-- Events are written once. A trigger says so, since the application owns the table and no grant binds an owner.
CREATE FUNCTION es.refuse_change_v1() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of stored events is not allowed', lower(TG_OP) USING ERRCODE = '42501';
END $$;
