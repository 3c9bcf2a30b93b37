"""The load of a machine that has no wrk, and load at a steady rate, which wrk has not.

`python -m bench.pump HOST PORT CONNECTIONS SECONDS FILE [RATE]` says what came of it in JSON. With a rate a request is due at its
time, whether or not there is a connection free for it, and its latency counts from then.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

HEAD_END = b"\r\n\r\n"
LENGTH = b"content-length:"


class Pump(asyncio.Protocol):
    """One connection with one request under way at a time. All of them take from the same `requests`, and note what they see in `seen`.

    A request comes with the time when it is due, 0 for at once.
    """

    def __init__(self, requests: Iterator[tuple[float, bytes]], seen: list[tuple[int, float]], ends: float) -> None:
        self._requests, self._seen, self._ends = requests, seen, ends
        self._received, self._sent_at = b"", 0.0
        self.over = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(HEAD_END)
        if end < 0:
            return
        head = self._received[:end].lower()
        at = head.find(LENGTH)
        length = int(head[at + len(LENGTH) :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(self._received) >= end + len(HEAD_END) + length:
            self._seen.append((int(head[9:12]), time.perf_counter() - self._sent_at))
            self._received = b""
            self._send()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.over.done():
            self.over.set_result(False)

    def _send(self) -> None:
        now = time.perf_counter()
        due, request = next(self._requests, (0.0, None)) if now < self._ends else (0.0, None)
        if request is None or due > self._ends:
            if not self.over.done():
                self.over.set_result(True)
            self._transport.close()
            return
        self._sent_at = due or now
        if due > now:
            asyncio.get_running_loop().call_later(due - now, self._transport.write, request)
        else:
            self._transport.write(request)


async def main(host: str, port: int, connections: int, seconds: float, content: bytes, rate: float) -> None:
    """Send these requests (one after the other, a zero byte between two), each once and in order, for so long on so many connections."""
    began, seen = time.perf_counter() + 0.2, list[tuple[int, float]]()
    requests = ((began + n / rate if rate else 0.0, request) for n, request in enumerate(content.split(b"\0")))
    made = [
        (await asyncio.get_running_loop().create_connection(lambda: Pump(requests, seen, began + seconds), host, port))[1]
        for _ in range(connections)
    ]
    whole = await asyncio.gather(*(pump.over for pump in made))
    took, times = time.perf_counter() - began, sorted(time for _, time in seen)
    found = {f"p{percent}": round(times[len(times) * percent // 100] * 1e6) for percent in (50, 90, 99)}
    found |= {"answers": len(seen), "microseconds": round(took * 1e6), "max": round(times[-1] * 1e6)}
    print(json.dumps(found | {"refused": sum(status >= 400 for status, _ in seen), "broken": whole.count(False)}))


if __name__ == "__main__":
    host, port, connections, seconds, path, *rate = sys.argv[1:]
    asyncio.run(main(host, int(port), int(connections), float(seconds), Path(path).read_bytes(), float(rate[0]) if rate else 0.0))
