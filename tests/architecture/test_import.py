"""`import theano` is quick and brings neither jax nor SciPy with it."""

import os
import subprocess
import sys

from tests.architecture.sources import ROOT

LIMIT = 0.25  # seconds of processor time beyond the import of NumPy
RUNS = 5


def python(code: str, **environ: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environ}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_theano_loads_neither_jax_nor_scipy():
    loaded = python(
        "import sys, theano, theano.tensor\n"
        "print(*sorted({m.split('.')[0] for m in sys.modules} & {'jax', 'jaxlib', 'scipy'}))"
    )
    assert loaded == ""


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


def test_importing_theano_is_quick(tmp_path):
    code = (
        "import time, numpy\n"
        "start = time.process_time()\n"
        "import theano\n"
        "took = time.process_time() - start\n"
        "assert theano.function, 'an empty package is quick too'\n"
        "print(took)"
    )
    # Processor time, the best of several: other work on the machine is not theano's.
    # Bytecode is kept between runs, as an installed package keeps it.
    kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    best = min(float(python(code, **kept)) for _ in range(RUNS))
    assert best <= LIMIT, f"import theano took {best:.3f} s beyond NumPy, at best of {RUNS}"
