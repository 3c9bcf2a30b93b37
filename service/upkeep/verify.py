"""`ludicitude verify`: every match of the database, one after the other, in little memory and beside a running service."""

from collections import Counter
from collections.abc import Callable
from contextlib import aclosing
from datetime import UTC, datetime

from service.store.snapshots import state_schema
from service.store.whole import wholes
from service.upkeep.audit import audit
from service.upkeep.database import database

SHOWN = 1_000
"""Faults beyond these are only counted."""


async def verify(database_url: str, tell: Callable[[str], None]) -> int:
    """Check every match and tell each fault in a line, and a summary at the end. Answers how many faults there are."""
    matches, events, replayed, faults = Counter[str](), 0, 0, 0
    async with database(database_url) as engine, aclosing(wholes(engine, state_schema())) as stored:
        async for whole in stored:
            audited = audit(whole, datetime.now(UTC))
            matches[audited.status] += 1
            events += audited.events
            replayed += audited.replayed
            for number, fault in enumerate(audited.faults, start=faults + 1):
                if number <= SHOWN:
                    tell(str(fault))
            faults += len(audited.faults)
    kinds = ", ".join(f"{count} {status}" for status, count in sorted(matches.items()))
    tell(f"Matches: {matches.total()} ({kinds or 'none'}), events: {events}; played again by the rules of this release: {replayed}.")
    tell(f"Faults: {faults}.")
    return faults
