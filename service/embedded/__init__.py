"""The PostgreSQL that comes with the house: made on the first start, a child of this process, stopped with it."""

from service.embedded.server import EmbeddedPostgres

__all__ = ["EmbeddedPostgres"]
