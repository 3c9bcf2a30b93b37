"""Fairness is tested over HTTP, on the whole app in test mode, with the clients of the service's tests."""

from tests.service.conftest import app, client, join, transport

__all__ = [
    "app",
    "client",
    "join",
    "transport",
]
