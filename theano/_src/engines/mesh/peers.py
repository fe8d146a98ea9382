"""Connections over which processes compare what they are about to do (ADR 25).

The connections form a tree: process k is connected to processes 2k + 1 and 2k + 2. No port stays
open.
"""

from __future__ import annotations

import hmac
import secrets
import selectors
import socket
import time
from contextlib import suppress
from typing import Any

#: bytes of a compared mark; a mark of zeros is a refusal
SIZE = 16
_REFUSAL = bytes(SIZE)
#: seconds that a connection has to identify itself
_GREETING = 5.0


class Refused(Exception):
    """A peer does not continue with this process: it has left."""


class Late(Refused):
    """A peer has not arrived in time."""


class Notified(Refused):
    """A peer has a different mark, or reports that another process does not continue."""


class Peers:
    """The processes that this one is connected to.

    Parameters
    ----------
    me, n : int
        The number of this process, and the number of processes.
    address : str
        The address at which others reach this process.
    client
        The client of the coordinator; processes publish their addresses through it.
    seconds : float
        How long to wait for the others.
    """

    def __init__(self, me: int, n: int, address: str, client: Any, seconds: float) -> None:
        limit = time.monotonic() + seconds
        children = [k for k in (2 * me + 1, 2 * me + 2) if k < n]
        self._up: tuple[int, socket.socket] | None = None
        self._down: list[tuple[int, socket.socket]] = []
        token = secrets.token_hex(16)
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as door:
            if children:
                door.bind((address, 0))
                door.listen()
                place = f"{address} {door.getsockname()[1]} {token}"
                client.key_value_set(f"theano/peers/{me}", place)
            if me:
                self._up = _connected(me, (me - 1) // 2, client, limit)
            while len(self._down) < len(children):
                guest = _accepted(door, token, limit)
                if guest is not None:
                    self._down.append(guest)
        self._selector = selectors.DefaultSelector()
        for who, link in self._all():
            self._selector.register(link, selectors.EVENT_READ, who)

    def compare(self, mark: bytes, seconds: float) -> None:
        """Return when all processes have arrived with the same mark; raise Refused otherwise."""
        limit = time.monotonic() + seconds
        for child in self._down:
            if _read(child, limit) != mark:
                raise Notified(f"process {child[0]} comes to something else")
        if self._up is not None:
            _send(self._up, mark)
        self._watch(limit)
        if self._up is not None and _read(self._up, limit, "answered") != mark:
            raise Notified(f"process {self._up[0]} comes to something else")
        for child in self._down:
            _send(child, mark)

    def _watch(self, limit: float) -> None:
        """Wait for the parent's answer; raise if a child that has arrived gives up meanwhile."""
        if not self._down:
            return
        left = 0.0 if self._up is None else max(0.0, limit - time.monotonic())
        message = {key.data for key, _ in self._selector.select(left)}
        for who, _ in self._down:
            if who in message:
                raise Notified(f"process {who} does not wait any longer")

    def refuse(self) -> None:
        """Tell the others that this process does not continue with them."""
        for peer in self._all():
            with suppress(Refused):
                _send(peer, _REFUSAL)

    def wait_for_children(self, seconds: float) -> None:
        """Wait until the children have left, as the coordinator should leave last."""
        limit = time.monotonic() + seconds
        for child in self._down:
            with suppress(Refused):
                while True:
                    _read(child, limit)

    def keep_open(self) -> None:
        """Leave it to the kernel to close the connections, when this process has ended."""
        for _, link in self._all():
            link.detach()
        self._up, self._down = None, []

    def close(self) -> None:
        self._selector.close()
        for _, link in self._all():
            link.close()
        self._up, self._down = None, []

    def _all(self) -> list[tuple[int, socket.socket]]:
        return self._down if self._up is None else [self._up, *self._down]


def _connected(me: int, parent: int, client: Any, limit: float) -> tuple[int, socket.socket]:
    left = max(1, int((limit - time.monotonic()) * 1000))
    place = client.blocking_key_value_get(f"theano/peers/{parent}", left)
    host, port, token = place.split()
    link = socket.create_connection((host, int(port)), max(1.0, limit - time.monotonic()))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.sendall(token.encode() + me.to_bytes(4, "big"))
    return parent, link


def _accepted(door: socket.socket, token: str, limit: float) -> tuple[int, socket.socket] | None:
    """A child that has connected; None for a stranger, which does not know the token."""
    door.settimeout(max(0.001, limit - time.monotonic()))
    try:
        link, _ = door.accept()
    except TimeoutError:
        raise RuntimeError("not all processes have connected with each other") from None
    link.settimeout(_GREETING)
    expected = len(token) + 4
    text = b""
    with suppress(OSError):
        while len(text) < expected and (more := link.recv(expected - len(text))):
            text += more
    if len(text) < expected or not hmac.compare_digest(text[:-4], token.encode()):
        link.close()
        return None
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return int.from_bytes(text[-4:], "big"), link


def _read(peer: tuple[int, socket.socket], limit: float, verb: str = "come") -> bytes:
    who, link = peer
    data = b""
    try:
        while len(data) < SIZE:
            link.settimeout(max(0.001, limit - time.monotonic()))
            more = link.recv(SIZE - len(data))
            if not more:
                raise Refused(f"process {who} has left")
            data += more
    except TimeoutError:
        raise Late(f"process {who} has not {verb}") from None
    except OSError:
        raise Refused(f"process {who} has left") from None
    return data


def _send(peer: tuple[int, socket.socket], mark: bytes) -> None:
    who, link = peer
    try:
        link.settimeout(_GREETING)
        link.sendall(mark)
    except OSError:
        raise Refused(f"process {who} has left") from None


def own_address(coordinator: str) -> str:
    """The address of this machine on its route to the coordinator; nothing is sent.

    >>> own_address("127.0.0.1:1234")
    '127.0.0.1'
    """
    host, port = split_address(coordinator)
    result = socket.getaddrinfo(host, int(port), type=socket.SOCK_DGRAM)
    family, kind, protocol, _, place = result[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.connect(place)
        return str(probe.getsockname()[0])


def split_address(address: str) -> tuple[str, str]:
    """Host and port of an address.

    >>> split_address("[::1]:1234"), split_address("host:80")
    (('::1', '1234'), ('host', '80'))
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"a coordinator has a host and a port, as 10.0.0.1:1234, got {address!r}")
    return host.strip("[]"), port
