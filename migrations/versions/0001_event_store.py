"""The event store, the rows written with its events, the read models, the talk at matches, and the players."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SQL = Path(__file__).parents[1] / "sql"

EVENT_STORE = (
    "CREATE SCHEMA es",
    # One number per event, in the order in which they were handed out. With CACHE above 1 sessions would hand out blocks,
    # and the numbers of one stream would not ascend.
    "CREATE SEQUENCE es.event_position AS bigint CACHE 1",
    # The single row that says which epoch is now; es.bump_epoch_v1 raises it.
    """
    CREATE TABLE es.epoch (
        the_one boolean PRIMARY KEY DEFAULT true CHECK (the_one),
        epoch smallint NOT NULL,
        since timestamptz NOT NULL DEFAULT now()
    )
    """,
    "INSERT INTO es.epoch (epoch) VALUES (0)",
    # One row per stream is the lock that makes appends to it wait for each other. Pages keep room for the next version of a
    # row, so that updates touch no index.
    """
    CREATE TABLE es.streams (
        stream_id uuid PRIMARY KEY,
        category text NOT NULL,
        version bigint NOT NULL,
        last_epoch smallint NOT NULL,
        last_tx xid8 NOT NULL,
        archived_at timestamptz
    ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)
    """,
    # Every unique key holds stream_id, so that these tables can be partitioned or distributed by it later.
    """
    CREATE TABLE es.events (
        stream_id uuid NOT NULL,
        version bigint NOT NULL,
        epoch smallint NOT NULL,
        tx_id xid8 NOT NULL,
        position bigint NOT NULL DEFAULT nextval('es.event_position'),
        event_id uuid NOT NULL,
        type text NOT NULL,
        schema_version smallint NOT NULL,
        data jsonb NOT NULL,
        meta jsonb NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (stream_id, version)
    ) WITH (autovacuum_vacuum_insert_scale_factor = 0.02)
    """,
    "CREATE INDEX events_order ON es.events (epoch, tx_id, position)",
    """
    CREATE TABLE es.commands (
        stream_id uuid NOT NULL,
        command_id uuid NOT NULL,
        fingerprint bytea NOT NULL,
        first_version bigint NOT NULL,
        last_version bigint NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (stream_id, command_id)
    )
    """,
    # How far each projection has read; `generation` counts its rebuilds. One generation is live: the one that is shown.
    """
    CREATE TABLE es.checkpoints (
        name text NOT NULL,
        generation integer NOT NULL,
        epoch smallint NOT NULL DEFAULT 0,
        tx_id xid8 NOT NULL DEFAULT '0',
        position bigint NOT NULL DEFAULT 0,
        state text NOT NULL DEFAULT 'building',
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (name, generation)
    )
    """,
    "CREATE UNIQUE INDEX checkpoints_live ON es.checkpoints (name) WHERE state = 'live'",
    # json and not jsonb: a state must come back as it was saved, and jsonb sorts the keys of objects.
    """
    CREATE TABLE es.snapshots (
        stream_id uuid NOT NULL,
        state_schema integer NOT NULL,
        version bigint NOT NULL,
        state json NOT NULL,
        PRIMARY KEY (stream_id, state_schema)
    )
    """,
)

MATCHES = (
    """
    CREATE TABLE public.match_current (
        stream_id uuid PRIMARY KEY,
        version bigint NOT NULL,
        game text NOT NULL,
        status text NOT NULL,
        visibility text NOT NULL,
        seats smallint NOT NULL,
        seats_open smallint NOT NULL,
        players text[] NOT NULL,
        opened_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        ended_at timestamptz,
        due_at timestamptz,
        bots_at timestamptz,
        shown jsonb NOT NULL,
        rematch_of uuid
    ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)
    """,
    "CREATE INDEX match_current_lobby ON public.match_current (visibility, status, game, opened_at, stream_id)",
    "CREATE INDEX match_current_players ON public.match_current USING gin (players)",
    "CREATE INDEX match_current_due ON public.match_current (due_at) WHERE due_at IS NOT NULL",
    "CREATE INDEX match_current_bots ON public.match_current (bots_at) WHERE bots_at IS NOT NULL",
    # A match has one rematch, however many ask for it at once.
    "CREATE UNIQUE INDEX match_current_rematch ON public.match_current (rematch_of) WHERE rematch_of IS NOT NULL",
    # Apart from everything else, so that nothing that reads events, snapshots or lists comes near a seed.
    """
    CREATE TABLE public.match_seeds (
        stream_id uuid PRIMARY KEY,
        seed bytea NOT NULL,
        opened_at timestamptz
    )
    """,
)

# Written by projections. A generation is built beside the live one and then takes its place, so it is part of every key.
READ_MODELS = (
    """
    CREATE TABLE public.match_results (
        generation integer NOT NULL,
        stream_id uuid NOT NULL,
        version bigint NOT NULL,
        game text NOT NULL,
        seats smallint NOT NULL,
        players text[] NOT NULL,
        ranks smallint[] NOT NULL,
        scores integer[] NOT NULL,
        reason text,
        opened_at timestamptz NOT NULL,
        started_at timestamptz,
        ended_at timestamptz,
        PRIMARY KEY (generation, stream_id)
    )
    """,
    """
    CREATE TABLE public.standings (
        generation integer NOT NULL,
        game text NOT NULL,
        player_id text NOT NULL,
        matches integer NOT NULL,
        contested integer NOT NULL,
        wins integer NOT NULL,
        draws integer NOT NULL,
        rank_sum integer NOT NULL,
        best integer,
        rated integer NOT NULL,
        mu double precision NOT NULL,
        sigma double precision NOT NULL,
        rating integer,
        PRIMARY KEY (generation, game, player_id)
    )
    """,
    # The order in which they are listed; those who have no rating or no best come after those who have.
    """
    CREATE INDEX standings_order ON public.standings
    (generation, game, coalesce(rating, '-2147483648'::integer), coalesce(best, '-2147483648'::integer), player_id)
    """,
    "INSERT INTO es.checkpoints (name, generation, state) VALUES ('results', 1, 'live')",
)

INVITES = (
    """
    CREATE TABLE public.match_invites (
        stream_id uuid PRIMARY KEY,
        code text NOT NULL,
        expires_at timestamptz
    )
    """,
)

TICKETS = (
    """
    CREATE TABLE public.stream_tickets (
        hash bytea PRIMARY KEY,
        player_id text NOT NULL,
        stream_id uuid NOT NULL,
        expires_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX stream_tickets_expired ON public.stream_tickets (expires_at)",
)

TALK = (
    # The row of a match is the lock under which its messages get their numbers. They are therefore committed in the order of
    # their numbers, and a reader who goes on from the last one they have misses none.
    """
    CREATE TABLE public.match_talk (
        stream_id uuid PRIMARY KEY,
        messages bigint NOT NULL
    ) WITH (fillfactor = 70)
    """,
    """
    CREATE TABLE public.match_messages (
        stream_id uuid NOT NULL,
        number bigint NOT NULL,
        message_id text NOT NULL,
        command_id uuid NOT NULL,
        at timestamptz NOT NULL,
        version bigint NOT NULL,
        player_id text NOT NULL,
        seat smallint NOT NULL,
        to_player_id text,
        to_seat smallint,
        text text,
        phase text,
        face smallint,
        PRIMARY KEY (stream_id, number),
        UNIQUE (stream_id, message_id),
        UNIQUE (stream_id, command_id)
    )
    """,
    "CREATE INDEX match_messages_of ON public.match_messages (player_id, stream_id, at)",
)

PLAYERS = (
    """
    CREATE TABLE public.players (
        player_id text PRIMARY KEY,
        display_name text,
        created_at timestamptz NOT NULL DEFAULT now(),
        erased_at timestamptz
    )
    """,
    """
    CREATE TABLE public.player_tokens (
        token_id text PRIMARY KEY,
        player_id text NOT NULL REFERENCES public.players,
        hash bytea NOT NULL UNIQUE,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        revoked_at timestamptz
    )
    """,
    "CREATE INDEX player_tokens_of ON public.player_tokens (player_id)",
    """
    CREATE TABLE public.player_mutes (
        player_id text NOT NULL REFERENCES public.players,
        muted_id text NOT NULL REFERENCES public.players,
        at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (player_id, muted_id)
    )
    """,
)

TRIGGERS = (
    """
    CREATE TRIGGER events_are_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON es.events
    FOR EACH STATEMENT EXECUTE FUNCTION es.refuse_change_v1()
    """,
)


def upgrade() -> None:
    functions = [(SQL / f"{name}.sql").read_text(encoding="utf-8") for name in ("append_v1", "bump_epoch_v1", "refuse_change_v1")]
    for statement in (*EVENT_STORE, *MATCHES, *READ_MODELS, *INVITES, *TICKETS, *TALK, *PLAYERS, *functions, *TRIGGERS):
        # The driver's own text, since SQLAlchemy would read the colons of plpgsql as parameters.
        op.get_bind().exec_driver_sql(statement)
