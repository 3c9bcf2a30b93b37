"""What the service waits for before it says that it is busy: long in tests, where the machine may be slow and nobody tests these bounds."""

SECONDS = {
    "service.http.deadline.BEGIN_SECONDS": 60,
    "service.http.work.WAIT_SECONDS": 60,
    "service.http.auth.REFUSED_SECONDS": 0,
    **dict.fromkeys((f"service.{name}.RACE_SECONDS" for name in ("matches", "hosts", "talk.messages")), 60),
    **dict.fromkeys((f"service.store.{name}.CONNECT_SECONDS" for name in ("address", "connections", "hints")), 60),
    **dict.fromkeys((f"service.store.{name}.ANSWER_SECONDS" for name in ("address", "connections", "hints")), 60),
    **dict.fromkeys((f"service.store.{name}.ACQUIRE_SECONDS" for name in ("address", "connections")), 60),
}
"""Constants of its modules."""

SERVER_SETTINGS = {"statement_timeout": "50s", "lock_timeout": "50s", "idle_in_transaction_session_timeout": "50s"}
"""Of those in `service.store.address`."""

PATIENTLY = f"""
import importlib, sys
from service.cli import main
from service.store.address import SERVER_SETTINGS

for path, seconds in {SECONDS}.items():
    module, _, name = path.rpartition(".")
    setattr(importlib.import_module(module), name, seconds)
SERVER_SETTINGS.update({SERVER_SETTINGS})
sys.exit(main())
"""
"""A program that does the same as `python -m service`, and has this patience."""
