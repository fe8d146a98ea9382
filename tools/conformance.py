"""Runs the documents' own examples and holds the list of those that pass: it only grows.

Fails when an example in `tests/conformance/passing.txt` no longer passes, and when one that needs
only what is already built fails without a word in `docs/deviations.md`.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PASSING = ROOT / "tests" / "conformance" / "passing.txt"
DEVIATIONS = ROOT / "docs" / "deviations.md"
# Capabilities that are finished: an example that needs no other must pass, or its reason be given.
BUILT = {
    *("core", "printing", "config", "grad", "linalg", "rewriting"),
    *("scan", "ifelse", "nnet", "conv", "random"),
    *("drawing", "modes", "debug", "testvalue", "profile"),
    *("extend", "cop", "sparse", "typed_list"),
}
NO_PROGRAM = "the program dot of Graphviz, which is not installed"
EXCUSED = "## Examples of the documentation that are wrong"


def run(shared: Path, options: list[str], verbose: bool) -> dict[str, dict]:
    """{id: {ok, why}} of the examples that ran, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "results.json"
        command = [sys.executable, str(shared / "conformance" / "run.py"), "--json", str(answer)]
        done = subprocess.run(
            command + options, cwd=folder, stdout=None if verbose else subprocess.PIPE, check=False
        )
        if not answer.exists():
            raise SystemExit(f"conformance: run.py gave no results (exit {done.returncode})")
        return json.loads(answer.read_text(encoding="utf-8"))


def entries(shared: Path) -> dict[str, dict]:
    files = sorted((shared / "conformance").glob("*.json"))
    return {e["id"]: e for f in files for e in json.loads(f.read_text(encoding="utf-8"))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--only", default="", help="examples whose id begins so")
    parser.add_argument("--needs", default="", help="examples that need only these, a,b,c")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--update", action="store_true", help="add what newly passes to the list")
    parser.add_argument("-v", "--verbose", action="store_true", help="show every failure")
    options = parser.parse_args()
    shared = options.shared.resolve()
    if not (shared / "conformance" / "run.py").exists():
        print(f"conformance: {options.shared}/conformance is absent, so nothing was checked;")
        print("give the folder that holds conformance/ and seeds/ with --shared")
        return 0

    asked = ["--jobs", options.jobs, "--only", options.only, "--needs", options.needs]
    results = run(shared, asked, options.verbose)
    known = entries(shared)
    listed = set(PASSING.read_text(encoding="utf-8").split()) if PASSING.exists() else set()
    passing = {name for name, result in results.items() if result["ok"]}
    excuses = DEVIATIONS.read_text(encoding="utf-8").partition(EXCUSED)[2]
    excused = set(re.findall(r"`((?:tut|lib|core|int)-[\w-]+)`", excuses))

    # pictures of other formats than SVG are Graphviz's
    without = {name for name, result in results.items() if NO_PROGRAM in result.get("why", "")}
    if without:
        print(f"{len(without)} were not counted: Graphviz is not installed")
        results = {name: result for name, result in results.items() if name not in without}
    built = {name for name in results if set(known[name]["needs"]) <= BUILT}
    lost = sorted((listed & set(results)) - passing)
    owed = sorted(built - passing - excused - set(lost))
    gone = sorted(listed - set(known))
    new = sorted(passing - listed)
    say("no longer pass", lost, results)
    say(
        f"need only {', '.join(sorted(BUILT))}, fail, and are not in {DEVIATIONS.name}",
        owed,
        results,
    )
    say("are listed as passing but exist no more", gone, results)
    say("pass and are not listed" + ("; added" if options.update else " (--update adds)"), new, {})
    if options.update and new:
        PASSING.write_text("\n".join(sorted(listed | passing)) + "\n", encoding="utf-8")
    print(f"{len(built & passing)} of {len(built)} that need only {', '.join(sorted(BUILT))} pass")
    print(f"{len(passing)} of {len(results)} examples pass; {len(known)} are known")
    return int(bool(lost or owed or gone))


def say(what: str, names: list[str], results: dict[str, dict]) -> None:
    if names:
        print(f"{len(names)} {what}:")
        for name in names:
            print(f"  {name:24} {results.get(name, {}).get('why', '')}".rstrip())


if __name__ == "__main__":
    sys.exit(main())
