"""`import theano` is quick and brings nothing with it but NumPy."""

import os
import subprocess
import sys

from tests.architecture.sources import ROOT

LIMIT = 1.0  # processor time beyond the import of NumPy, as a share of that
RUNS = 8


def python(code: str, **environ: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environ}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_theano_loads_no_package_that_it_depends_on_but_numpy():
    loaded = python(
        "import sys, theano, theano.tensor\n"
        "loaded = {m.split('.')[0] for m in sys.modules}\n"
        "from theano._src.compile.commands.versions import NEEDED\n"
        "print(*sorted(loaded & {*NEEDED}))"
    )
    assert loaded == "numpy"


LATER = ("engines", "rules", "control", "show", "legacy", "testing")


def test_importing_theano_loads_what_builds_graphs_and_no_engine():
    loaded = python(
        "import sys, theano, theano.tensor\n"
        "print(*sorted({m.split('.')[2] for m in sys.modules if m.startswith('theano._src.')}))"
    ).split()
    assert {"graph", "types", "ops", "grad"} < set(loaded)
    assert not set(LATER) & set(loaded)


def test_no_module_that_is_loaded_later_takes_the_place_of_a_function():
    """Importing a submodule sets the package's attribute of that name."""
    code = (
        "import pkgutil, sys, types, theano, theano.tensor.nnet, theano.compile, theano.gof\n"
        "for package in (theano, theano.tensor, theano.tensor.nnet, theano.compile, theano.gof):\n"
        "    for module in pkgutil.iter_modules(package.__path__, package.__name__ + '.'):\n"
        "        found = vars(package).get(module.name.rpartition('.')[2])\n"
        "        if not isinstance(found, types.ModuleType | None):\n"
        "            print(module.name, module.name in sys.modules)\n"
    )
    functions = dict(line.split() for line in python(code).splitlines())
    assert functions.keys() >= {"theano.tensor.sort", "theano.tensor.var"}
    assert set(functions.values()) == {"True"}, functions


def test_what_is_imported_at_first_use_is_listed_and_there():
    code = (
        "import sys, theano\n"
        "early = [m for m in sys.modules if m.startswith('theano._src.rules.pipeline')]\n"
        "listed = 'nnet' in dir(theano.tensor) and 'sandbox' in dir(theano)\n"
        "from theano.tensor import *\n"
        "print(early, listed, nnet.softmax.__name__, theano.sandbox.cuda.cuda_available,\n"
        "      theano.compile.optdb is theano.compile.mode.optdb)"
    )
    assert python(code) == "[] True softmax False True"


def test_importing_theano_takes_no_longer_than_importing_numpy(tmp_path):
    code = (
        "import time\n"
        "start = time.process_time()\n"
        "import numpy\n"
        "between = time.process_time()\n"
        "import theano\n"
        "end = time.process_time()\n"
        "assert theano.function, 'an empty package is quick too'\n"
        "print(between - start, end - between)"
    )
    # Processor time, the best of several: other work on the machine is not theano's.
    # Bytecode is kept between runs, as an installed package keeps it.
    kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    times = [map(float, python(code, **kept).split()) for _ in range(RUNS)]
    bare, ours = map(min, zip(*times, strict=True))
    assert ours <= LIMIT * bare, f"NumPy took {bare:.3f} s, theano {ours:.3f} s beyond it"
