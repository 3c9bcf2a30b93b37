"""What PostgreSQL itself can do, by its own pgbench on the same server: the measure of everything else."""

import asyncio
import re
import subprocess
from pathlib import Path

import asyncpg
import msgspec

from service.embedded import programs

TABLES = """
CREATE TABLE bench_events (
    stream_id uuid, version bigint, type text NOT NULL, data jsonb NOT NULL, at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (stream_id, version)
);
CREATE TABLE bench_streams (number int PRIMARY KEY, stream_id uuid NOT NULL, version bigint NOT NULL) WITH (fillfactor = 70);
CREATE TABLE bench_tokens (hash bytea PRIMARY KEY, player_id text NOT NULL);
INSERT INTO bench_streams SELECT n, gen_random_uuid(), 0 FROM generate_series(1, 10000) AS n;
INSERT INTO bench_tokens SELECT sha256(n::text::bytea), 'ply_' || n FROM generate_series(1, 10000) AS n;
"""
EVENT = "gen_random_uuid(), {version}, 'pico.card_committed', '{{\"seat\": 0, \"card\": 7}}'"
INSERT = "INSERT INTO bench_events (stream_id, version, type, data) VALUES ("

SCRIPTS = {
    "one event": f"{INSERT}{EVENT.format(version=1)});\n",
    "two events": f"{INSERT}{EVENT.format(version=1)}), ({EVENT.format(version=2)});\n",
    "textbook command": r"""\set n random(1, 10000)
BEGIN;
SELECT player_id FROM bench_tokens WHERE hash = sha256((:n)::int::text::bytea);
SELECT version AS version FROM bench_streams WHERE number = :n FOR UPDATE \gset
INSERT INTO bench_events (stream_id, version, type, data)
SELECT stream_id, :version + 1, 'pico.card_committed', '{"seat": 0, "card": 7}' FROM bench_streams WHERE number = :n;
UPDATE bench_streams SET version = version + 1 WHERE number = :n;
COMMIT;
""",
}


class Reference(msgspec.Struct, frozen=True):
    """Transactions a second, and their mean latency in milliseconds."""

    rate: float
    latency_ms: float


class References:
    """pgbench on one database."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder, self._program = url, folder, programs.find() / "pgbench"
        for name, script in SCRIPTS.items():
            (folder / f"{name}.sql").write_text(script)

    def prepare(self) -> None:
        """Make its tables."""

        async def make() -> None:
            connection = await asyncpg.connect(self._url)
            await connection.execute(TABLES)
            await connection.close()

        asyncio.run(make())

    def run(self, name: str, clients: int, seconds: int = 1) -> Reference:
        """One of `SCRIPTS` for so long by so many clients."""
        script = str(self._folder / f"{name}.sql")
        command = [str(self._program), "-n", "-M", "prepared", "-c", str(clients), "-j", "1", "-f", script, self._url]
        for time in (seconds, 3 * seconds, 9 * seconds):  # On a machine with other things to do, the first one may see nothing end.
            said = subprocess.run([*command, "-T", str(time)], capture_output=True, text=True, check=True).stdout
            rate, latency = re.search(r"tps = ([\d.]+)", said), re.search(r"latency average = ([\d.]+) ms", said)
            if rate and latency:
                return Reference(float(rate[1]), float(latency[1]))
        raise RuntimeError(f"pgbench did nothing: {said}")
