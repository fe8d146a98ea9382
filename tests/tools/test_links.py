"""The check of links finds each kind of broken link that is planted, and no other."""

import pytest

from tools import links


@pytest.fixture
def site(tmp_path):
    """A checkout of one page, and its site, in which every link resolves."""
    (tmp_path / "README.md").write_text("# Name\n\n[page](docs/page.md#two-words), [x](#name)\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("# Page\n\n## Two `words`\n")
    html = tmp_path / "html"
    (html / "sub").mkdir(parents=True)
    (html / "a.png").touch()
    (html / "index.html").write_text(
        '<a href="sub/page.html#here">x</a> <img src="a.png"> <a href="#">x</a>'
        '<a href="https://example.org/x">x</a> <a href="mailto:a@example.org">x</a>'
    )
    page = '<p id="here"><a href="../index.html">x</a> <a href="..">x</a> <a href="/a.png">x</a>'
    (html / "sub" / "page.html").write_text(page)
    return tmp_path


def report(site, capsys, *options):
    failed = links.main([str(site / "html"), "--root", str(site), *options])
    return failed, capsys.readouterr().out


def test_a_site_whose_links_resolve_passes(site, capsys):
    failed, text = report(site, capsys)
    assert not failed
    assert text.endswith("0 broken\n")


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        ('<a href="absent.html">', "points to no file"),
        ('<a href="sub/page.html#gone">', "points to no #gone"),
        ('<a href="#gone">', "points to no #gone"),
        ('<img src="absent.png">', "points to no file"),
        ('<script src="absent.js"></script>', "points to no file"),
        ('<link href="absent.css">', "points to no file"),
        ('<a href="http://example.org">', "is not https"),
        ('<a href="https://example.org/a b">', "has a space"),
        ('<a href="https://nowhere/">', "has no host"),
    ],
)
def test_a_broken_link_in_a_page_is_found(site, capsys, planted, words):
    with (site / "html" / "index.html").open("a") as file:
        file.write(planted)
    failed, text = report(site, capsys)
    assert failed
    assert words in text
    assert text.endswith("1 broken\n")


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        ("[x](absent.md)", "points to no file"),
        ("![x](absent.png)", "points to no file"),
        ("[x](docs/page.md#gone)", "points to no #gone"),
        ("[x](#gone)", "points to no #gone"),
        ('<img src="absent.png">', "points to no file"),
        ("[x]: absent.md", "points to no file"),
        ("[x](http://example.org)", "is not https"),
    ],
)
def test_a_broken_link_in_markdown_is_found(site, capsys, planted, words):
    with (site / "README.md").open("a") as file:
        file.write("\n" + planted + "\n")
    failed, text = report(site, capsys)
    assert failed
    assert words in text
    assert text.endswith("1 broken\n")


def test_code_holds_no_links(site, capsys):
    with (site / "README.md").open("a") as file:
        file.write("\n```python\nf[x](absent.md)\n```\n\n`f[x](absent.md)` and ``a[`x`](b)``\n")
    failed, _ = report(site, capsys)
    assert not failed


def test_other_sites_are_listed_and_not_asked(site, capsys, monkeypatch):
    monkeypatch.setattr(links, "ask", None)
    failed, text = report(site, capsys, "--list")
    assert not failed
    assert "https://example.org/x" in text


def test_other_sites_are_asked_online(site, capsys, monkeypatch):
    monkeypatch.setattr(links, "ask", lambda link: "answers 404")
    failed, text = report(site, capsys, "--online")
    assert failed
    assert "https://example.org/x answers 404" in text


def test_a_folder_without_a_site_is_an_error(site, capsys):
    with pytest.raises(SystemExit):
        links.main([str(site / "docs")])
