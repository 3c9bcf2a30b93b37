"""Doors are tried over HTTP, on the whole app, with the clients of the service's tests."""

from tests.service.conftest import app, client, join, operator, transport

__all__ = [
    "app",
    "client",
    "join",
    "operator",
    "transport",
]
