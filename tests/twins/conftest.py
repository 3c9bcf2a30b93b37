"""Twins need two databases: `database_url`, as every test has it, and this one."""

from tests.upkeep.conftest import other_database_url

__all__ = [
    "other_database_url",
]

# What is theirs beyond that stands in `worlds`.
