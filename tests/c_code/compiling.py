"""Processes that compile at once, and are killed: run by the tests in a process of their own.

``python -m tests.c_code.compiling many PROCESSES TEXTS`` compiles so many texts in each of so many
processes; ``... kill ROUNDS`` kills a process that compiles, as often, and looks at the folder
after each time. Both print what they found as JSON. The folder is ``config.compiledir``.
"""

import ctypes
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import theano
from theano._src.c_code import library_cache

FOLDER = Path(theano.config.compiledir) / library_cache.FOLDER


def is_right(k):
    text = f'extern "C" int value(void) {{ return {k}; }}'
    return library_cache.opened(text, ctypes.CDLL).value() == k


def in_child(work):
    """The id of a process, with a group of its own, that ends with 0 if ``work()`` is true."""
    child = os.fork()
    if child:
        return child
    os.setsid()
    code = 1
    try:
        code = 0 if work() else 1
    finally:
        os._exit(code)


def all_right(numbers):
    wrong = [k for k in numbers if not is_right(k)]
    return not wrong


def many(processes, texts):
    def work(seed):
        order = list(range(texts))
        random.Random(seed).shuffle(order)
        return all_right(order)

    children = [in_child(lambda seed=seed: work(seed)) for seed in range(processes)]
    failed = sum(code_of(child) != 0 for child in children)
    return {"failed": failed, **counts()}


def code_of(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill(rounds):
    """Each round damages a library now and then, and kills a process that mends and compiles."""
    chance = random.Random(0)
    planted = set()
    unsound = 0
    for k in range(rounds):
        if k % 3 == 2:
            planted.add(damage(chance))
        child = in_child(lambda k=k: all_right(range(k // 2, k // 2 + 40)))
        time.sleep(chance.uniform(0, 0.15))
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:  # it has not made its group yet
            os.kill(child, signal.SIGKILL)
        code_of(child)
        unsound += not set(damaged()) <= planted
    before = counts()
    failed = code_of(in_child(lambda: all_right(range(rounds // 2 + 40))))
    return {"unsound": unsound, "failed": failed, "before": before, "after": counts()}


def damage(chance):
    """Cut one library short, as a full disk or a crash of the machine would; its folder."""
    whole = sorted(set(kept()) - set(damaged()))
    if not whole:
        return None
    path = chance.choice(whole)
    data = (path / library_cache.LIBRARY).read_bytes()
    (path / library_cache.LIBRARY).write_bytes(data[: chance.randrange(2000)])
    return path


def kept():
    return [Path(kept.path) for kept in library_cache.all_kept(str(FOLDER))]


def damaged():
    return [path for path in kept() if not library_cache._is_whole(path)]


def counts():
    parts = [p for p in FOLDER.iterdir() if p.name.startswith("part-")] if FOLDER.exists() else []
    return {"kept": len(kept()), "damaged": len(damaged()), "parts": len(parts)}


if __name__ == "__main__":
    word, *numbers = sys.argv[1:]
    print(json.dumps({"many": many, "kill": kill}[word](*map(int, numbers))))
