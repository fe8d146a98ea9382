"""`python -m tests.distributed.nightly`: what the gate shows of a few kills, shown of many."""

import argparse
import sys
import tempfile
import time

from tests.distributed.launched import random_kills


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="of processes that train")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        wrong += random_kills(folder, options.kills, 50 * (options.kills + 1), options.seed)
        print(f"{options.kills} kills while training, {time.monotonic() - begin:.0f} s", flush=True)
    print("\n".join(wrong) or "nothing is wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
