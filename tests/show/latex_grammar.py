"""A reader of LaTeX formulas that refuses what LaTeX refuses: braces, brackets, two scripts."""

import re

TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}_^&]|\s+|.", re.DOTALL)


def faults(text: str) -> list[str]:
    """What is wrong with a formula; nothing for one that LaTeX takes."""
    tokens = [t for t in TOKEN.findall(text) if not t.isspace()]
    found = []
    open_groups: list[str] = []
    # which scripts the last atom of each open group has
    scripts: list[set[str]] = [set()]
    pending = None
    i = 0
    while i < len(tokens):
        t = tokens[i]
        i += 1
        if t in "_^":
            if t in scripts[-1]:
                found.append(f"a second {t} at token {i}")
            if pending:
                found.append(f"{pending} without an argument at token {i}")
            scripts[-1].add(t)
            pending = t
            continue
        if t in (r"\begin", r"\end", r"\left", r"\right"):
            if t in (r"\begin", r"\end"):
                end = tokens.index("}", i)
                what, i = "".join(tokens[i + 1 : end]), end + 1
            else:
                what, i = "delimiter", i + 1
            if t in (r"\begin", r"\left"):
                open_groups.append(what)
                scripts.append(set())
            elif not open_groups or open_groups.pop() != what:
                found.append(f"{t} of {what} closes nothing")
            else:
                scripts.pop()
                scripts[-1].clear()
        elif t == "{":
            open_groups.append("{" if pending is None else "script")
            scripts.append(set())
            pending = None
            continue
        elif t == "}":
            if not open_groups or open_groups[-1] not in ("{", "script"):
                found.append(f"a brace closes nothing at token {i}")
                return found
            kind = open_groups.pop()
            scripts.pop()
            if kind == "{":
                scripts[-1].clear()
        elif pending is None:
            scripts[-1].clear()
        pending = None
    return found + [f"{group} stays open" for group in open_groups]
