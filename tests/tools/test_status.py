"""The first pages agree with the lists of the tests and with the last measurement."""

from tools import status


def test_durations_have_two_digits_or_three():
    seconds = (0.008, 0.0186, 0.3865, 5.46, 121.3)
    assert list(map(status.duration, seconds)) == ["8 ms", "19 ms", "0.39 s", "5.5 s", "121 s"]


def test_every_measurement_has_numpy_and_two_others():
    for times in status.beside().values():
        assert {"ours", "numpy", "jax"} <= times.keys()


def test_every_page_has_the_three_measurements_as_they_are():
    pages = [page for page, blocks in status.PAGES.items() if "beside" in blocks]
    assert len(pages) == 2
    assert all(status.table() in page.read_text() for page in pages)


def test_every_mark_of_the_pages_is_filled():
    for page, blocks in status.PAGES.items():
        text = page.read_text()
        for name in blocks:
            begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
            assert len(text.partition(begin)[2].partition(end)[0]) > 100
