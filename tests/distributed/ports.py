"""Prints where this process listens once a function has run on a mesh, an address a line.

The name of the machine is made to lead to 127.0.0.2 for this process, where the kernel allows it.
"""

import ctypes
import os
import socket
import struct
from pathlib import Path

CLONE_NEWUTS, CLONE_NEWUSER = 0x04000000, 0x10000000


def take_another_name():
    """Whether this process has a name of its own for the machine: no other process sees it."""
    libc, uid = ctypes.CDLL(None, use_errno=True), os.getuid()
    if libc.unshare(CLONE_NEWUTS) and libc.unshare(CLONE_NEWUTS | CLONE_NEWUSER):
        return False
    if uid:
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    try:
        socket.sethostname("127.0.0.2")
    except OSError:
        return False
    return True


def listening():
    """The addresses of the sockets of this process that listen."""
    own = set()
    for handle in Path("/proc/self/fd").iterdir():
        try:
            own.add(os.readlink(handle))
        except OSError:
            continue
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == "0A" and f"socket:[{rest[5]}]" in own:
                words = [local.partition(":")[0][i : i + 8] for i in range(0, len(local) - 5, 8)]
                packed = b"".join(struct.pack("=I", int(word, 16)) for word in words)
                family = socket.AF_INET if table == "tcp" else socket.AF_INET6
                yield socket.inet_ntop(family, packed)


def main():
    named = take_another_name()
    import numpy as np

    import theano
    import theano.tensor as T
    from theano import In, distributed as dist

    dist.initialize()
    x = T.dmatrix("x")
    f = theano.function([In(x, sharding=dist.mesh({"data": -1})["data"])], x.sum())
    assert f(np.ones((4, 6))) == 24 * dist.process_count()
    print(f"named {named}", flush=True)
    for address in listening():
        print(f"listens at {address}", flush=True)
    dist.shutdown()


if __name__ == "__main__":
    main()
