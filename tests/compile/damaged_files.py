"""Reads damaged and hostile graph files under a limit of memory, and watches what that does.

Prints as JSON how many of each kind were tried and refused, what went wrong, and by how much the
memory of the process grew. Run as a process of its own: limits and audit hooks stay.
"""

from __future__ import annotations

import copy
import json
import pickle
import random
import resource
import struct
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import theano
from theano._src.compile.files import file_names
from theano._src.compile.files.graph_file import read_file

GOLDEN = Path(__file__).parents[1] / "golden" / "graph_files" / "version-1" / "programs.theano"
GIGABYTE = 1 << 30
#: what reading must not do
FORBIDDEN = ("exec", "compile", "import", "pickle.find_class", "subprocess.Popen", "os.system",
             "os.exec", "os.posix_spawn", "socket.connect", "os.remove", "os.rename",
             "ctypes.dlopen")  # fmt: skip
HOSTILE_VALUES: list[Any] = [
    None, True, -1, 10**9, 10**30, 1e308, "", "../../etc/passwd", "__import__", [], {}, [[]],
    {"variable": 0}, {"variable": -1}, {"variable": 10**12}, {"op": 0}, {"type": 0},
    {"object": "os.system", "props": {}}, {"object": "COp", "props": {"func_files": "/etc/passwd"}},
    {"builtin": "eval"}, {"dict": [[[], 1]]}, {"slice": [1]}, {"float": "1e999"},
    {"array": {"dtype": "float64", "shape": [10**15], "values": []}},
    {"array": {"dtype": "object", "shape": [], "values": [1]}},
    {"array": {"dtype": "float64", "shape": [1, -1], "values": [1]}},
    {"random_state": {"key": {"array": {"dtype": "uint32", "shape": [1], "values": [1]}},
                      "pos": 10**9, "has_gauss": 0, "gauss": 0.0}},
    {"sparse": {"format": "csr", "shape": [2, 2],
                "data": {"array": {"dtype": "float64", "shape": [1], "values": [1.0]}},
                "indices": {"array": {"dtype": "int32", "shape": [1], "values": [10**6]}},
                "indptr": {"array": {"dtype": "int32", "shape": [3], "values": [0, 1, 1]}}}},
    {"tuple": [{"tuple": [{"tuple": []}]}]},
]  # fmt: skip


class Watch:
    """Notes forbidden events while it is on."""

    def __init__(self) -> None:
        self.on = False
        self.seen: list[str] = []
        sys.addaudithook(self._heard)

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if self.on and (event in FORBIDDEN or (event == "open" and _writes(args))):
            self.seen.append(f"{event} {args!r:.100}")


def _writes(args: tuple[Any, ...]) -> bool:
    return isinstance(args[1], str) and any(c in args[1] for c in "wax+")


def packed(parts: dict[str, bytes], **options: Any) -> bytes:
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", **options) as archive:
            for name, data in parts.items():
                archive.writestr(name, data)
        file.seek(0)
        return file.read()


#: 200 MB of blanks in 200 kB
BOMB = packed({"graph.json": b" " * (200 << 20)}, compression=zipfile.ZIP_DEFLATED)


def flipped(rng: random.Random, data: bytes, parts: dict[str, bytes]) -> bytes:
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 8, 64))):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def cut(rng: random.Random, data: bytes, parts: dict[str, bytes]) -> bytes:
    a, b = sorted(rng.randrange(len(data)) for _ in range(2))
    return rng.choice((data[:a], data[a:], data[:a] + data[b:], data + data[a:b]))


def overwritten(rng: random.Random, data: bytes, parts: dict[str, bytes]) -> bytes:
    at, n = rng.randrange(len(data)), rng.choice((4, 8, 100))
    junk = rng.choice((b"\xff" * n, bytes(n), rng.randbytes(n), struct.pack("<Q", 1 << 62)))
    return data[:at] + junk + data[at + len(junk) :]


def said_otherwise(rng: random.Random, data: bytes, parts: dict[str, bytes]) -> bytes:
    """JSON with something else somewhere, and the right checksums."""
    document = json.loads(parts["graph.json"])
    for _ in range(rng.choice((1, 1, 2, 5))):
        places = _places(document, rng)
        holder, key = rng.choice(places)
        holder[key] = copy.deepcopy(rng.choice(HOSTILE_VALUES))
    return packed({**parts, "graph.json": json.dumps(document).encode()})


def _places(document: Any, rng: random.Random) -> list[tuple[Any, Any]]:
    """Some places in JSON, by a walk that chooses at random."""
    found = []
    for _ in range(20):
        one = document
        while isinstance(one, (dict, list)) and one:
            key = rng.choice(list(one)) if isinstance(one, dict) else rng.randrange(len(one))
            found.append((one, key))
            one = one[key]
    return found


def other_arrays(rng: random.Random, data: bytes, parts: dict[str, bytes]) -> bytes:
    (length,) = struct.unpack("<Q", parts["arrays.safetensors"][:8])
    header = json.loads(parts["arrays.safetensors"][8 : 8 + length])
    about = header[rng.choice([name for name in header if name != "__metadata__"])]
    about[rng.choice(("shape", "data_offsets", "dtype"))] = rng.choice(
        ([10**9, 10**9], [0, 1 << 60], "F64", "F8_E4M3", [-1], [1 << 63, 8], None)
    )
    text = json.dumps(header).encode()
    size = struct.pack("<Q", rng.choice((len(text), 1 << 62, 0, len(text) - 1)))
    return packed(
        {**parts, "arrays.safetensors": size + text + parts["arrays.safetensors"][8 + length :]}
    )


def tricks(rng: random.Random, data: bytes, parts: dict[str, bytes]) -> bytes:
    evil = pickle.dumps(print)
    return rng.choice(
        [
            lambda: packed({**parts, "../../../tmp/evil": b"x"}),
            lambda: packed({**parts, "/etc/evil": b"x"}),
            lambda: packed({**parts, "graph.pkl": evil}),
            lambda: packed({"graph.json": evil}),
            lambda: evil,
            lambda: packed({"graph.json": b"[" * 200_000 + b"]" * 200_000}),
            lambda: BOMB,
            lambda: packed({"graph.json": b'{"version": ' + b"9" * 9999 + b"}"}),
            lambda: packed({"graph.json": b'{"format": "theano graph", "version": NaN}'}),
            lambda: packed({**parts, "graph.json": parts["graph.json"] + b"x"}),
            lambda: packed({**parts, "graph.json": b"\xff\xfe" + parts["graph.json"]}),
            lambda: packed({"arrays.safetensors": parts["arrays.safetensors"]}),
            lambda: packed({"graph.json": parts["graph.json"]}),
            lambda: b"",
            lambda: b"PK\x05\x06" + bytes(18),
        ]
    )()  # fmt: skip


KINDS: dict[str, Callable[..., bytes]] = {
    f.__name__: f for f in (flipped, cut, overwritten, said_otherwise, other_arrays, tricks)
}
#: what must be refused unless the JSON and the arrays are those of the good file
EXACT = ("flipped", "cut", "overwritten")


def _peak() -> int:
    """The most memory that the process had, in kB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (found,) = [line for line in lines if line.startswith("VmHWM")]
    return int(found.split()[1])


def main(count: int) -> None:
    file_names._load_all()
    import scipy.sparse  # noqa: F401

    good = theano.load(GOLDEN)
    data = GOLDEN.read_bytes()
    with zipfile.ZipFile(GOLDEN) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    document = read_file(GOLDEN)[0]
    watch = Watch()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    used = _peak()
    address = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (address + GIGABYTE, address + GIGABYTE))
    rng = random.Random(22)
    tried: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    troubles = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.theano"
        for k in range(count):
            kind = list(KINDS)[k % len(KINDS)]
            path.write_bytes(KINDS[kind](rng, data, parts))
            tried[kind] += 1
            watch.on = True
            try:
                found = theano.load(path)
            except theano.GraphFileError:
                refused[kind] += 1
            except BaseException as error:
                troubles.append(f"{k} {kind}: {type(error).__name__}: {error!s:.200}")
            else:
                if kind in EXACT and (list(found) != list(good) or read_file(path)[0] != document):
                    troubles.append(f"{k} {kind}: something else was read")
            finally:
                watch.on = False
    grown = _peak() - used
    troubles += watch.seen
    told = {
        "tried": tried,
        "refused": refused,
        "troubles": troubles,
        "peak_growth_mb": grown // 1024,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    np.seterr(all="ignore")
    main(int(sys.argv[1]))
