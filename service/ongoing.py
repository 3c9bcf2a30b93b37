"""What goes on beside the requests of a process, such as the clocks of the matches and the looks at what others did."""

import asyncio
from abc import ABC, abstractmethod
from typing import Self


class Ongoing(ABC):
    """Something that goes on for as long as `async with` holds it; then it is asked to stop, and waited for."""

    def __init__(self) -> None:
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop()
        assert self._task is not None
        await self._task

    @abstractmethod
    async def _run(self) -> None:
        """Go on until it is asked to stop."""

    def _stop(self) -> None:
        """Ask it to stop."""
        self._stopping.set()
