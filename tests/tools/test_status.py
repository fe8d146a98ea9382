"""The first page says what the lists of the tests and the last measurement say."""

from tools import status


def test_durations_have_two_digits_or_three():
    seconds = (0.008, 0.0186, 0.3865, 5.46, 121.3)
    assert list(map(status.duration, seconds)) == ["8 ms", "19 ms", "0.39 s", "5.5 s", "121 s"]


def test_the_chart_is_that_of_the_measurement():
    assert status.CHART.read_text() == status.chart()
    assert {len(times) for times in status.beside().values()} <= {3, 4}


def test_every_mark_of_the_pages_is_filled():
    for page in status.PAGES:
        text = page.read_text()
        for name in ("status", "beside"):
            begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
            assert len(text.partition(begin)[2].partition(end)[0]) > 100
