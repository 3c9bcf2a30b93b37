"""Moments as the API writes them."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeAlias

from msgspec import Meta

Timestamp: TypeAlias = Annotated[datetime, Meta(tz=True)]


def whole_seconds(moment: datetime) -> datetime:
    """The moment as the API writes it: UTC without fractions, which some clients cannot read."""
    return (moment if moment.tzinfo is UTC else moment.astimezone(UTC)) - timedelta(microseconds=moment.microsecond)
