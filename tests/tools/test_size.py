"""The count of lines and specs counts everything, or says what it could not read."""

import pytest

from tools import size


def test_a_module_of_specs_that_cannot_be_imported_is_an_error(tmp_path, monkeypatch):
    folder = tmp_path / "tests" / "ops"
    folder.mkdir(parents=True)
    (folder / "test_absent.py").touch()
    monkeypatch.setattr(size, "ROOT", tmp_path)
    with pytest.raises(ImportError, match=r"tests\.ops\.test_absent"):
        list(size.specs())
