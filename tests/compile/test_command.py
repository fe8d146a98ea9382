"""`python -m theano` and `theano.show_versions`: what is installed, and whether it works."""

import io
import subprocess
import sys

import numpy as np
import pytest

import theano
from tests.architecture.sources import ROOT
from theano._src.compile.commands import command, versions
from theano._src.compile.debug import self_test


def printed(capsys, *words):
    code = command.main(words)
    return code, capsys.readouterr().out


def test_versions_platform_flags_and_cache_are_shown():
    file = io.StringIO()
    with theano.config.change_flags(floatX="float32"):
        theano.show_versions(file=file)
    text = file.getvalue()
    assert text.startswith(f"theano        {theano.__version__}")
    assert f"  numpy         {np.__version__}\n" in text and "platform" in text
    assert "  floatX = float32\n" in text and "compiled programs" in text


def test_a_package_that_is_not_installed_is_told(monkeypatch):
    monkeypatch.setattr(versions, "NEEDED", ("numpy", "no-such-thing"))
    file = io.StringIO()
    theano.show_versions(file=file)
    assert "no-such-thing not installed, needed" in file.getvalue()


def run(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_versions_are_shown_without_loading_jax():
    code = "import sys, theano; theano.show_versions(); print('jax' in sys.modules)"
    done = run("-c", code)
    assert done.stdout.endswith("False\n"), done.stderr
    assert "devices=True loads jax and asks it" in done.stdout


def test_devices_are_listed_where_they_are_asked_for(capsys):
    code, text = printed(capsys, "devices")
    assert code == 0 and "config.device = cpu" in text and "cpu:0" in text


def test_devices_that_cannot_be_listed_are_no_error(monkeypatch):
    def fails(load):
        raise ImportError("no jax here")

    monkeypatch.setattr(versions, "list_devices", fails)
    assert versions.about_devices(True)[-1] == "those of XLA cannot be used: no jax here"


def test_an_unknown_command_is_refused_with_those_there_are(capsys):
    code, text = printed(capsys, "verisons")
    assert code == 1
    assert "takes one of the commands below, got 'verisons'" in text
    assert "python -m theano versions" in text


def test_all_flags_are_printed(capsys):
    code, text = printed(capsys, "config")
    assert code == 0 and "floatX" in text and "exception_verbosity" in text


def test_the_words_after_cache_are_those_of_its_own_command(capsys):
    assert printed(capsys, "cache")[1] == f"{theano.config.compiledir}\n"
    code, text = printed(capsys, "cache", "nonsense")
    assert code == 1 and "theano-cache takes one of the commands" in text


def test_the_check_of_xla_is_reached(capsys, monkeypatch):
    seen = []
    monkeypatch.setattr(command.cache_command, "main", lambda words: seen.append(list(words)) or 0)
    assert command.main(["check", "quick"]) == 0 and seen == [["check", "quick"]]


@pytest.mark.xla
def test_the_self_test_passes(capsys):
    code, text = printed(capsys, "test")
    assert code == 0, text
    assert text.count("  ok: ") == len(self_test.STEPS) and text.endswith("none failed\n")


def test_a_failing_step_is_told_with_its_traceback(capsys, monkeypatch):
    def broken():
        """what is broken"""
        self_test._same(1.0, 2.0)

    monkeypatch.setattr(command, "STEPS", (broken,))
    code, text = printed(capsys, "test")
    assert code == 1 and "  failed: what is broken\n" in text
    assert "ValueError: the answer should be 2.0, got 1.0" in text
    assert text.endswith("1 failed\n")


def test_the_module_runs_as_a_command():
    done = run("-m", "theano", "versions")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("theano ")
    assert run("-m", "theano", "nonsense").returncode == 1
