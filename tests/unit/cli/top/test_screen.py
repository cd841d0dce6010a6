"""The screen: it fits, and a name cannot control the terminal."""

import io

import pytest
from rich.console import Console

from barnabas.cli.top.rates import BrokerRate, GroupRate, RateTables, TopicRate
from barnabas.cli.top.screen import screen_of


def rates(topics: int, groups: int = 0, brokers: int = 1, name: str = "topic") -> RateTables:
    return RateTables(
        1.0,
        "c",
        tuple(TopicRate(f"{name}{number}", 3, 1234.0, 5e6, 7_000) for number in range(topics)),
        tuple(
            GroupRate(f"group{number}", "classic", "Stable", 1, 9, 2.0) for number in range(groups)
        ),
        tuple(
            BrokerRate(number, "h:1", number == 1, 3, 1.0, None, None) for number in range(brokers)
        ),
        ("no sizes: too old",),
    )


def drawn(of: RateTables, height: int | None) -> str:
    out = io.StringIO()
    Console(file=out, width=90).print(screen_of(of, "a:1", "records", height))
    return out.getvalue()


@pytest.mark.parametrize("height", [24, 30, 60])
def test_a_large_cluster_fits_the_terminal_and_says_what_is_left_out(height: int) -> None:
    text = drawn(rates(10_000, 400, 30), height)
    assert len(text.splitlines()) <= height
    assert "of 10000" in text
    assert "of 400" in text
    assert "of 30" in text


def test_all_rows_are_printed_where_there_is_no_height() -> None:
    text = drawn(rates(50, 40, 30), None)
    assert all(f"topic{number} " in text for number in range(50))
    assert "keys:" not in text
    assert "61,700 records/s" in text
    assert "no sizes: too old" in text


def test_a_hostile_name_is_printed_as_text() -> None:
    text = drawn(rates(1, name="[red]\x1b[2J"), None)
    assert "\x1b" not in text
    assert "[red]" in text
