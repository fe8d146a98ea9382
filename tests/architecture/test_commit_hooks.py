"""The hooks that run before a commit."""

import re

from tests.architecture.sources import PACKAGE


def test_the_hooks_name_files_that_exist():
    root = PACKAGE.parent
    text = (root / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    names = re.findall(r"tests/[\w/]+\.py", text)
    assert names
    assert [name for name in names if not (root / name).exists()] == []
