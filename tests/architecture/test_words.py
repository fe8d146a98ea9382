"""Names in theano/_src are words of Theano, JAX and NumPy: words that were replaced stay out."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, sources, tree, where

LINES = [
    line.split()
    for line in Path(__file__).with_name("retired_words.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
FILES = {line[1]: line[2] for line in LINES if line[0] == "file"}
ANYWHERE = {line[1]: line[2] for line in LINES if line[0] == "anywhere"}
NAMES = {line[0]: line[1] for line in LINES if line[0] not in ("file", "anywhere")}


def names(module: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, name) of each class, function and parameter."""
    for node in ast.walk(module):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
                yield node.lineno, name


def every_name(module: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, name) of all that has a name: also of variables, attributes and keywords."""
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                yield node.lineno, name
    yield from names(module)


def vague(module: ast.Module) -> list[tuple[int, str]]:
    """(line, complaint) for each name that does not say what it is the name of."""
    return [
        (line, f"{name}; use {ANYWHERE[word]}, or a word that says what it holds")
        for line, name in every_name(module)
        if (word := name.strip("_").lower()) in ANYWHERE
    ]


def retired(module: ast.Module) -> list[tuple[int, str]]:
    """(line, complaint) for each name that is no longer used."""
    return [
        (line, f"{name}; use {NAMES[name.lstrip('_')]}, or a word that says what it is here")
        for line, name in names(module)
        if name.lstrip("_") in NAMES
    ]


def test_no_retired_word_names_a_class_a_function_or_a_parameter():
    found = [f"{where(p, line)}: {text}" for p in sources() for line, text in retired(tree(p))]
    assert not found, "\n" + "\n".join(found)


def test_no_vague_word_names_anything():
    found = [f"{where(p, line)}: {text}" for p in sources() for line, text in vague(tree(p))]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "source", ["found = 1", "x._told", "def f(made): pass", "class Told: pass", "f(apart=1)"]
)
def test_a_vague_word_is_found(source):
    assert len(vague(ast.parse(source))) == 1


def test_no_retired_word_names_a_file_or_a_folder():
    words = {part for p in sources() for part in p.relative_to(ROOT).with_suffix("").parts}
    assert words & {*FILES, *NAMES} == set()


@pytest.mark.parametrize(
    "source", ["class Agree: pass", "def _lent(): pass", "def f(x, *, moved): pass"]
)
def test_a_retired_word_is_found(source):
    assert len(retired(ast.parse(source))) == 1
