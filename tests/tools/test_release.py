"""The check list of a release finds what is wrong with a wheel or an sdist."""

import io
import tarfile
import zipfile

import pytest

from tools import release

VERSION = release.release()
PACKAGED = release.tracked("theano") | release.shipped_examples()
ABOUT = f"theano_xla-{VERSION}.dist-info/METADATA"


@pytest.fixture
def files(tmp_path):
    """Makes a wheel and an sdist of the files that git has, with some more and some less."""

    def make(more=(), less=(), readme="text"):
        wheel = tmp_path / f"theano_xla-{VERSION}-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for name in (PACKAGED | set(more)) - set(less):
                archive.writestr(name, "")
            archive.writestr(ABOUT, f"Name: theano-xla\n\n{readme}")
        sdist = tmp_path / f"theano_xla-{VERSION}.tar.gz"
        with tarfile.open(sdist, "w:gz") as archive:
            for name in more:
                archive.addfile(tarfile.TarInfo(f"theano_xla-{VERSION}/{name}"), io.BytesIO())
        return wheel, sdist

    return make


def test_a_wheel_has_the_files_of_the_package_and_no_others(files):
    assert release.files_of_wheel(*files()) == f"{len(PACKAGED) + 1} files"
    with pytest.raises(release.Failed, match=r"tests/test_new\.py"):
        release.files_of_wheel(*files(more=["tests/test_new.py"]))
    with pytest.raises(release.Failed, match=r"lacks \['theano/py.typed'\]"):
        release.files_of_wheel(*files(less=["theano/py.typed"]))
    with pytest.raises(release.Failed, match=r"lacks \['theano/_examples/lenet.py'\]"):
        release.files_of_wheel(*files(less=["theano/_examples/lenet.py"]))


def test_an_sdist_holds_no_junk(files):
    with pytest.raises(release.Failed, match="__pycache__"):
        release.files_of_sdist(*files(more=["theano/__pycache__/x.pyc"]))
    with pytest.raises(release.Failed, match="lacks"):
        release.files_of_sdist(*files(more=["Makefile"]))


def test_what_is_larger_than_it_may_be_is_refused(files, monkeypatch):
    assert "MB" in release.sizes(*files())
    monkeypatch.setitem(release.LARGEST, ".whl", 100)
    with pytest.raises(release.Failed, match="bytes of 100"):
        release.sizes(*files())


def test_links_that_need_a_checkout_are_refused(files):
    assert release.links_of_readme(*files(readme="[a](https://b) [c](#d)")) == "2 links"
    with pytest.raises(release.Failed, match=r"docs/index\.md"):
        release.links_of_readme(*files(readme="[a](https://b) [c](docs/index.md)"))


def test_the_changelog_has_a_section_for_the_version(files, monkeypatch):
    assert release.changelog(*files()).startswith("## [")
    monkeypatch.setattr(release, "release", lambda: "77.0.0")
    with pytest.raises(release.Failed, match=r"77\.0\.0"):
        release.changelog(*files())


def test_the_python_blocks_of_a_page_are_one_program(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n```python\n>>> 1\n1\n```\nb\n```sh\nls\n```\n```python\n>>> 2\n2\n```\n")
    assert release.examples(page).split() == [">>>", "1", "1", ">>>", "2", "2"]


def test_a_python_that_is_not_there_is_none():
    assert release.interpreter("2.1") is None
