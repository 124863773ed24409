"""As little of an HTTP client as there can be, so that the processors are the server's."""

from __future__ import annotations

import json
import re
import socket
from types import TracebackType
from typing import Self

from benchmarks.placement.calls import VERSION, Answer

_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_CLOSE = re.compile(rb"(?i)\r\nconnection: *close")
_END = b"\r\n\r\n"
TIMEOUT_S = 120.0


class Connection:
    """One client: a request after the other, on one connection while the server keeps it.

    :param port: on this machine.
    """

    def __init__(self, port: int) -> None:
        self._address = ("127.0.0.1", port)
        self._socket: socket.socket | None = None

    def get(self, path: str) -> Answer:
        """Read."""
        return self._send(_head("GET", path) + b"\r\n")

    def put(self, path: str, body: object) -> Answer:
        """Write."""
        data = json.dumps(body).encode()
        told = f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        return self._send(_head("PUT", path) + told.encode() + data)

    def close(self) -> None:
        """Leave."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _send(self, request: bytes) -> Answer:
        if self._socket is None:
            self._socket = socket.create_connection(self._address, timeout=TIMEOUT_S)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(request)
        head, body = self._received(self._socket)
        if _CLOSE.search(head):
            self.close()
        return Answer(int(head[9:12]), body)

    def _received(self, connected: socket.socket) -> tuple[bytes, bytes]:
        text = b""
        while _END not in text:
            text += _more(connected)
        head, _, body = text.partition(_END)
        length = _LENGTH.search(head)
        missing = (int(length[1]) if length else 0) - len(body)
        parts = [body]
        while missing > 0:
            parts.append(_more(connected))
            missing -= len(parts[-1])
        return head, b"".join(parts)


def _more(connected: socket.socket) -> bytes:
    received = connected.recv(262_144)
    if not received:
        raise ConnectionResetError("the server closed the connection within an answer")
    return received


def _head(method: str, path: str) -> bytes:
    return (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n"
        f"X-Auth-Token: admin\r\nOpenStack-API-Version: {VERSION}\r\n"
    ).encode()
