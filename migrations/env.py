"""Runs the migrations on the connection that `service.migrate` hands over; there is no other way to run them."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    # Each migration commits by itself, so that one that works outside a transaction (CREATE INDEX CONCURRENTLY) can follow.
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
