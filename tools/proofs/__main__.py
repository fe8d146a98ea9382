"""What is proved of the rules, and tried on floats and graphs.

`python -m tools.proofs` proves all equations. Each of these goes on where its last run ended, and
keeps what it saw in tests/rules/proofs:

- `--sweep MINUTES` tries equations on more numbers of float32 and float16, of each the same share,
  and equations of two variables on 100 million pairs.
- `--exhaust MINUTES` tries all float32 of one equation after another.
- `--functions` proves what rules that are functions do to their examples.
- `--variations MINUTES` proves what they do to variations of the examples.
- `--cases MINUTES` tries rules about inverses, determinants and factors on random matrices.
- `--passes MINUTES` tries passes that let ops overwrite their inputs on small and random graphs.
- `--mutants MINUTES` breaks rules on purpose, and says which layer sees it.

`--only TEXT` takes rules with this text in their names. `--write` puts the tables into
docs/internals/proofs.md.
"""

from __future__ import annotations

import argparse
import sys

from theano.testing import prove
from tools.proofs import page
from tools.proofs.record import equations, functions, load
from tools.proofs.sweeps import broken, exhaust, sweep_parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sweep", type=float, metavar="MINUTES", default=0.0)
    parser.add_argument("--exhaust", type=float, metavar="MINUTES", default=0.0)
    parser.add_argument("--passes", type=float, metavar="MINUTES", default=0.0)
    parser.add_argument("--only", default="", help="rules with this text in their names")
    parser.add_argument("--functions", action="store_true", help="prove functions on examples")
    parser.add_argument("--variations", type=float, metavar="MINUTES", default=0.0)
    parser.add_argument("--cases", type=float, metavar="MINUTES", default=0.0)
    parser.add_argument("--mutants", type=float, metavar="MINUTES", default=0.0)
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    chosen = parser.parse_args()
    proofs = [prove(r) for r in equations(chosen.only)]
    print(f"{sum(map(bool, proofs))} of {len(proofs)} equations are proved")
    wrong = [str(p) for p in proofs if not p]
    floats = load("floats")
    if chosen.sweep:
        sweep_parts(floats, equations(chosen.only), 60 * chosen.sweep)
    if chosen.exhaust:
        exhaust(floats, equations(chosen.only), 60 * chosen.exhaust)
    wrong += broken(floats, equations(chosen.only))
    if chosen.functions:
        from tools.proofs.graphs import record_functions

        seen, named = load("functions"), functions(chosen.only)
        record_functions(seen, named)
        count = sum(seen[r.name]["outcome"] == "proved" for r in named)
        print(f"{count} of {len(named)} functions are proved on their examples")
        wrong += [f"{r.name}: {seen[r.name]['where']}" for r in named
                  if seen[r.name]["outcome"] == "refuted"]  # fmt: skip
    if chosen.variations:
        from tools.proofs.varied import record_variations, varied_rules, wrong_on_variations

        seen = load("variations")
        record_variations(seen, varied_rules(chosen.only), 60 * chosen.variations)
        wrong += wrong_on_variations(seen)
    if chosen.cases:
        from tools.proofs.cases import FORMS, record_cases, wrong_in

        seen = load("cases")
        record_cases(seen, [n for n in sorted(FORMS) if chosen.only in n], 60 * chosen.cases)
        wrong += [f"{name} is wrong in {line}" for name, line in wrong_in(seen)]
    if chosen.passes:
        from tools.proofs.passes import record_passes

        seen = load("passes")
        record_passes(seen, 60 * chosen.passes)
        wrong += [line for row in seen.values() for line in row["wrong"]]
    if chosen.mutants:
        from tools.proofs.mutants import record_mutants

        record_mutants(load("mutants"), 60 * chosen.mutants)
    if chosen.write:
        page.write()
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
