"""The API as this client uses it: JSON over HTTP, and nothing else of the service."""

import http.client
import time
from typing import Any
from urllib.parse import urlsplit

import msgspec

from service import chance
from service.cant_run import CantRun

_PATIENCE_SECONDS = 10
_GLANCE_SECONDS = 2
_PAUSES_SECONDS = (1, 2, 4, 8, 15)
"""Between the attempts of one call: a server that is started again is back by then."""


class Problem(Exception):
    """The service says no: the members of its problem document, of which programs go by `code` and people by `detail`."""

    def __init__(self, told: dict[str, Any]) -> None:
        super().__init__(told["detail"])
        self.code: str = told["code"]
        self.message_key: str = told["message_key"]
        self.details: list[str] = [fault["detail"] for fault in told["errors"]] or [told["detail"]]


class Api:
    """The service at `url`, such as `http://localhost:8000`. With a `token`, calls are those of the player whose it is."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self.token = ""
        self._reached = False
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise CantRun(f"{url} is no address such as http://localhost:8000 or https://play.example.org.")
        self._connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._host, self._path = parts.netloc.rpartition("@")[2], parts.path

    def get(self, path: str, *, wait: int = 0) -> Any:
        """What is at `path`, whose answer may take `wait` seconds longer than usual. Raises `Problem` and `CantRun`."""
        return self._call("GET", path, None, _PATIENCE_SECONDS + wait)

    def post(self, path: str, body: Any) -> Any:
        """The answer to `body`. Raises `Problem` and `CantRun`."""
        return self._call("POST", path, msgspec.json.encode(body), _PATIENCE_SECONDS)

    def delete(self, path: str) -> None:
        """Take away what is at `path`. Raises `Problem` and `CantRun`."""
        self._call("DELETE", path, None, _PATIENCE_SECONDS)

    def answers(self) -> bool:
        """Whether Ludicitude answers there, at once."""
        try:
            _, answer = self._once("GET", "/v1/games", None, {}, _GLANCE_SECONDS)
        except (OSError, http.client.HTTPException, ValueError):
            return False
        return isinstance(answer, dict) and all("ruleset" in game for game in answer.get("items", ({},)))

    def _call(self, method: str, path: str, body: bytes | None, patience: float) -> Any:
        # Under one key a call that is sent again is never a second move, so a lost answer can be asked for once more.
        headers = {"Content-Type": "application/json", "Idempotency-Key": chance.new_id("key")} if body is not None else {}
        for pause in (*_PAUSES_SECONDS, None):
            try:
                status, answer = self._once(method, path, body, headers, patience)
            except (OSError, http.client.HTTPException) as reason:
                if pause is None or not self._reached:
                    raise CantRun(f"{self.url} can't be reached: {reason}") from reason
            except ValueError as reason:
                raise CantRun(f"{self.url} does not answer as Ludicitude does.") from reason
            else:
                self._reached = True
                if status < 400:
                    return answer
                if status != 503 or pause is None:
                    raise Problem(answer)
            time.sleep(pause)
        raise AssertionError("the last attempt answers or raises")

    def _once(self, method: str, path: str, body: bytes | None, headers: dict[str, str], patience: float) -> tuple[int, Any]:
        connection = self._connect(self._host, timeout=patience)
        try:
            credential = {"Authorization": f"Bearer {self.token}"} if self.token else {}
            connection.request(method, self._path + path, body, headers | credential)
            answer = connection.getresponse()
            content = answer.read()
            return answer.status, msgspec.json.decode(content) if content else None
        finally:
            connection.close()
