"""A gate between a front end and the server, which holds up commands, or is shut, when a test says so."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer

import httpx


class Gate:
    """Lets everything through that comes to its `address`."""

    def __init__(self, address: str) -> None:
        self.server = httpx.URL(address)
        self.address = ""
        self.passes = threading.Event()
        """Commands wait for it."""
        self.passes.set()
        self.shut = False
        self.held = threading.Event()
        """Whether a command has waited."""
        self.turned_away = threading.Semaphore(0)
        """Released by each connection that found it shut."""
        self.lines: set[socket.socket] = set()

    def serve(self, line: socket.socket) -> None:
        """One connection of the front end."""
        if self.shut:
            self.turned_away.release()
            return
        with socket.create_connection((self.server.host, self.server.port)) as onward:
            self.lines |= {line, onward}
            threading.Thread(target=pass_on, args=(onward, line), daemon=True).start()
            with suppress(OSError):
                while data := line.recv(65536):
                    if data.startswith(b"POST") and b"/commands " in data.partition(b"\r\n")[0] and not self.passes.is_set():
                        self.held.set()
                        self.passes.wait(60)
                    onward.sendall(data)

    def close(self) -> None:
        """As a server that is gone, until it is opened again."""
        self.shut = True
        for line in list(self.lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def open(self) -> None:
        self.shut = False


def pass_on(line: socket.socket, onward: socket.socket) -> None:
    """Until one of them ends."""
    with suppress(OSError):
        while data := line.recv(65536):
            onward.sendall(data)
        onward.shutdown(socket.SHUT_RDWR)


@contextmanager
def gated(address: str) -> Iterator[Gate]:
    """A gate to the server at this address, for as long as the block lasts."""
    gate = Gate(address)

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            gate.serve(self.request)

    class Server(ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        gate.address = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield gate
        gate.passes.set()
        gate.close()
        server.shutdown()
