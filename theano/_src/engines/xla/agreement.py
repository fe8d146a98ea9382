"""Processes see that they do the same before they do it together."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable

from theano._src.engines.xla.private_jax import coordination_client
from theano._src.ground.config import config
from theano._src.ground.process_group import process_group


class Disagreement(RuntimeError):
    """Processes that should do the same do not."""


def agree(what: str, value: Callable[[], bytes]) -> None:
    """See that all processes come to the same, by way of the coordinator; else Disagreement.

    Not by a collective: where they differ some are in another one, and all would wait for ever.
    """
    if process_group.joined:
        import jax

        _agree(jax.process_index(), what, value())


_agreements = itertools.count()


def _agree(me: int, what: str, value: bytes) -> None:
    client = coordination_client()
    seconds = config.distributed.timeout
    place = f"theano/{next(_agreements)}"
    text = f"{hashlib.blake2b(value, digest_size=16).hexdigest()} {what}"
    if me == 0:
        client.key_value_set(place, text)
    try:
        theirs = client.blocking_key_value_get(place, seconds * 1000)
        if theirs != text:
            client.key_value_set(f"{place}/differs/{me}", text)
        client.wait_at_barrier(f"{place}/all", seconds * 1000)
    except Exception as error:
        raise Disagreement(
            f"process {me} comes to {what}, and within {seconds} s not all others did; "
            f"config.distributed.timeout says how long to wait ({str(error)[:200]})"
        ) from None
    differing = client.key_value_dir_get(f"{place}/differs/")
    if differing:
        who, other = differing[0]
        raise Disagreement(
            f"process {who.rpartition('/')[2]} comes to {other.partition(' ')[2]}, process 0 to "
            f"{theirs.partition(' ')[2]}: all processes must make the same calls, with inputs of "
            "the same lengths, and have the same values of what is replicated"
        )
