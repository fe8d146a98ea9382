"""The pictures of the documents are what tools/figures.py draws now."""

from tools import figures


def test_every_picture_is_current(capsys):
    assert figures.main(["--check"]) == 0, capsys.readouterr().out


def test_a_picture_that_differs_is_found_and_left_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(figures, "FIGURES", tmp_path)
    monkeypatch.setattr(figures, "pictures", lambda: {"a.svg": "new\n", "b.svg": "same\n"})
    (tmp_path / "a.svg").write_text("old\n")
    (tmp_path / "b.svg").write_text("same\n")
    assert figures.main(["--check"]) == 1
    assert "a.svg: stale" in capsys.readouterr().out
    assert (tmp_path / "a.svg").read_text() == "old\n"
    assert figures.main([]) == 0
    assert (tmp_path / "a.svg").read_text() == "new\n"


def test_no_picture_depends_on_the_lines_of_the_tool():
    assert "figures.py:" not in "".join(figures.pictures().values())
