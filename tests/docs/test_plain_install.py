"""Pages that a beginner reads run with the packages that a plain install brings, and no others."""

import os
import subprocess
import sys
from importlib import metadata

import numpy as np
import pytest
from packaging.requirements import Requirement

import theano
import theano.checkpoint
from tests.architecture.sources import ROOT
from tests.architecture.test_packages import PROJECT
from tests.docs.test_examples import examples

PAGES = ("training", "saving", "distributed")
# a page as a doctest, in a process where the modules of other packages are not found
PROGRAM = """
import doctest, importlib.abc, sys

class Plain(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

page, *BLOCKED = sys.argv[1:]
sys.meta_path.insert(0, Plain())
flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
sys.exit(doctest.testfile(page, module_relative=False, optionflags=flags).failed)
"""


def installed_with(requirements: list[str]) -> set[str]:
    """The distributions that pip installs for ``requirements``, as they are here."""
    todo, found = [Requirement(r) for r in requirements], set()
    while todo:
        requirement = todo.pop()
        name = requirement.name.lower().replace("_", "-")
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        todo += map(Requirement, metadata.requires(name) or ())
    return found


def blocked() -> set[str]:
    """Modules of all distributions that a plain install does not bring."""
    plain = installed_with(PROJECT["dependencies"])
    return {
        module
        for module, owners in metadata.packages_distributions().items()
        if not {owner.lower().replace("_", "-") for owner in owners} & plain
    } - {"theano", "tests"}


def run_page(name, folder, without):
    page = folder / f"{name}.txt"
    text = (ROOT / "docs" / "tutorial" / f"{name}.md").read_text(encoding="utf-8")
    page.write_text(examples(text), encoding="utf-8")
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "THEANORC": os.devnull}
    environ["THEANO_FLAGS"] = f"base_compiledir={folder / 'compiled'}"
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(page), *sorted(without)],
        cwd=folder, env=environ, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_page_runs_with_what_a_plain_install_brings(name, tmp_path):
    """U3.1: these pages failed without an extra."""
    without = blocked()
    assert {"pytest", "onnx", "pydot"} & without and not {"numpy", "safetensors"} & without
    done = run_page(name, tmp_path, without)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.mark.parametrize("missing", ["safetensors", "safetensors.numpy"])
def test_without_safetensors_errors_name_the_package_to_install(missing, tmp_path, monkeypatch):
    """U3.2: it is missing after ``pip install --no-deps``."""
    monkeypatch.setitem(sys.modules, missing, None)
    w = theano.shared(np.zeros(100), "w")
    for name, write in (
        ("theano.save of arrays", lambda: theano.save(tmp_path / "f.theano", w)),
        ("theano.checkpoint", lambda: theano.checkpoint.save(tmp_path, 1, w, wait=True)),
    ):
        sentence = (
            f"^{name} takes safetensors: safetensors cannot be loaded (.*); "
            "install it: pip install safetensors$"
        )
        with pytest.raises(ImportError, match=sentence):
            write()
    assert not list(tmp_path.iterdir())
