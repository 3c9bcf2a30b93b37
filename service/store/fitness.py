"""Whether a database is one that keeps the store's promises, asked before anything is stored in it."""

from service.store.connections import Connections

PROBE = """
SELECT version(), to_regprocedure('es.bump_epoch_v1()') IS NOT NULL AS migrated,
    (SELECT seqcache FROM pg_sequence WHERE seqrelid = to_regclass('es.event_position')) AS cache
"""

CACHE_ONE = "ALTER SEQUENCE es.event_position CACHE 1"

AHEAD = """
SELECT coalesce(max(tx_id) >= pg_snapshot_xmax(pg_current_snapshot()), false) AS ahead
FROM es.events WHERE epoch = (SELECT epoch FROM es.epoch)
"""

FENCE_LAG = """
SELECT coalesce((
    SELECT extract(epoch FROM clock_timestamp() - at)::float FROM es.events
    WHERE (epoch, tx_id) >= ((SELECT epoch FROM es.epoch), pg_snapshot_xmin(pg_current_snapshot()))
    ORDER BY epoch, tx_id, position LIMIT 1), 0)
"""
"""For how many seconds the oldest event that readers of all streams may not have yet has been waiting."""


class UnfitDatabase(Exception):
    """This database would lose or reorder events silently, so the store does not open. The text says what to do."""


async def require_fit(connections: Connections) -> None:
    """Raise `UnfitDatabase` unless the database is a migrated PostgreSQL whose transaction numbers are ahead of the stored ones."""
    [found] = await connections.rows(PROBE)
    if not is_postgresql(found["version"]):
        raise UnfitDatabase(f"this is not PostgreSQL, whose transaction numbers order the events: {found['version']}")
    if not found["migrated"]:
        raise UnfitDatabase("this database has not been migrated: run `ludicitude migrate`")
    if found["cache"] != 1:
        raise UnfitDatabase(f"the sequence es.event_position must have CACHE 1: run {CACHE_ONE}")
    [stored] = await connections.rows(AHEAD)
    if stored["ahead"]:
        raise UnfitDatabase(
            "stored transaction numbers are ahead of this server's, as after a restore from a dump; new events would sort"
            " before old ones. Begin a new epoch: `ludicitude epoch-bump`, which calls es.bump_epoch_v1()"
        )


def is_postgresql(version: str) -> bool:
    """Whether a server that says this of itself is PostgreSQL and not one of those that only speak like it."""
    return version.startswith("PostgreSQL ") and "-YB-" not in version
