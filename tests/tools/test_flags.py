"""The page of all flags has every flag of the table."""

from theano._src.ground.flags import FLAGS
from tools import flags


def test_the_page_is_current(capsys):
    assert flags.main([]) == 0, capsys.readouterr().out


def test_every_flag_is_in_one_group_and_on_the_page():
    names = [name for group in flags.groups().values() for name in group]
    assert sorted(names) == sorted(name for name, _, _ in FLAGS)
    text = flags.page()
    assert all(text.count(f"`{name}`") >= 1 for name in names)


def test_a_stale_page_is_reported_and_written_on_request(tmp_path, monkeypatch, capsys):
    path = flags.ROOT / "docs" / "library" / "stale-flags.md"
    monkeypatch.setattr(flags, "ROOT", tmp_path)
    monkeypatch.setattr(flags, "PAGE", tmp_path / path.name)
    assert flags.main([]) == 1 and not flags.PAGE.exists()
    assert "stale" in capsys.readouterr().out
    assert flags.main(["--write"]) == 0 == flags.main([])
