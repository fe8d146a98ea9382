"""The frameworks, their exact versions, and the virtual environments they are installed in."""

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

NUMPY, SCIPY = "numpy==2.4.6", "scipy==1.17.1"


@dataclasses.dataclass(frozen=True)
class Framework:
    """One column: a module of programs, what it needs, and variables of its process.

    ``{cache}`` in a variable is a folder that is empty for a cold start. A ``variant`` is another
    way to run a framework, measured when it is asked for. Those that are ``given``
    need older packages: their interpreter is an argument of the run.
    """

    name: str
    title: str
    module: str
    needs: tuple[str, ...] = ()
    variables: dict[str, str] = dataclasses.field(default_factory=dict)
    keeps: bool = False
    variant: bool = False
    given: bool = False

    @property
    def environment(self) -> str:
        """The folder's name: variants of one framework share it."""
        return "-".join(self.needs[:1]).replace("==", "-")


_NUMBA = "NUMBA_CACHE_DIR"

# fmt: off
FRAMEWORKS = (
    Framework("ours", "theano-xla", "in_theano", (),
              {"THEANO_FLAGS": "base_compiledir={cache}"}, keeps=True),
    Framework("jax", "JAX", "in_jax", ("jax==0.10.1", NUMPY)),
    Framework("pytensor", "PyTensor", "in_pytensor", ("pytensor==3.0.7", NUMPY),
              {"PYTENSOR_FLAGS": "base_compiledir={cache}", _NUMBA: "{cache}"}, keeps=True),
    Framework("pytensor-c", "PyTensor, C", "in_pytensor", ("pytensor==3.0.7", NUMPY),
              {"PYTENSOR_FLAGS": "base_compiledir={cache},linker=cvm"}, keeps=True, variant=True),
    Framework("torch", "PyTorch", "in_torch", ("torch==2.13.0", NUMPY)),
    Framework("torch-compile", "PyTorch, compiled", "in_torch_compile", ("torch==2.13.0", NUMPY),
              {"TORCHINDUCTOR_CACHE_DIR": "{cache}"}, keeps=True, variant=True),
    Framework("casadi", "CasADi", "in_casadi", ("casadi==3.8.2", NUMPY)),
    Framework("casadi-buffers", "CasADi, buffers", "in_casadi_buffers", ("casadi==3.8.2", NUMPY)),
    # it cannot ask its NumPy for a BLAS: products go through NumPy's C functions
    Framework("theano-1.0.5", "Theano 1.0.5", "in_theano_1", (),
              {"THEANO_FLAGS": "base_compiledir={cache},blas.ldflags="}, keeps=True, given=True),
    Framework("numpy", "NumPy", "in_numpy", (NUMPY, SCIPY)),
)
# fmt: on


def python_of(framework: Framework, folder: Path) -> str:
    """The interpreter of a framework, made and filled if it is not there; ours is this one.

    pip reads its own settings: an index of builds of PyTorch without CUDA, say, is given by
    ``PIP_EXTRA_INDEX_URL``.
    """
    if not framework.needs:
        return sys.executable
    home = folder / f"{framework.environment}-py{sys.version_info[0]}.{sys.version_info[1]}"
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    done = home / "installed"
    needs = "\n".join(framework.needs) + "\n"
    if done.exists() and done.read_text() == needs:
        return str(python)
    print(f"installing {', '.join(framework.needs)} in {home}", flush=True)
    shutil.rmtree(home, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "-q", *framework.needs], check=True)
    done.write_text(needs)
    return str(python)
