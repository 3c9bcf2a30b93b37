"""Answers that leave in one piece: two small writes would be two calls of the system, and often two packets."""

import asyncio

GATHERED_MAX_BYTES = 16_384
"""So much is kept until the loop turns; an answer has rarely more."""


class Gathered:
    """A transport that sends what is written in one turn of the loop at once: an answer is one piece and not a head and a body.

    What is large goes out as it comes, so that a client which takes nothing stops who writes for it.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self.written: list[bytes] = []
        self._size = 0
        self.abort, self.is_closing, self.get_extra_info = transport.abort, transport.is_closing, transport.get_extra_info

    def write(self, data: bytes) -> None:
        if not self.written:
            self._loop.call_soon(self.send)
        self.written.append(data)
        self._size += len(data)
        if self._size > GATHERED_MAX_BYTES:
            self.send()

    def get_write_buffer_size(self) -> int:
        return self._size + self._transport.get_write_buffer_size()

    def write_eof(self) -> None:
        self.send()
        self._transport.write_eof()

    def close(self) -> None:
        self.send()
        self._transport.close()

    def send(self) -> None:
        if self.written and not self._transport.is_closing():
            self._transport.write(b"".join(self.written))
        self.written.clear()
        self._size = 0
