"""How many lines of a kind there may be: a client can have thousands of connections refused in a second."""

import logging

from barnabas.cli.output.log_limits import MOST_AT_ONCE, LogLimits


def a_record(
    message: str, name: str = "barnabas.x", level: int = logging.WARNING
) -> logging.LogRecord:
    return logging.LogRecord(name, level, "", 0, message, (), None)


def test_a_flood_of_a_kind_becomes_a_line_a_second_that_counts_the_rest() -> None:
    now = 100.0
    limits = LogLimits(lambda: now)
    flood = [limits.filter(a_record("connection closed")) for _ in range(3 * MOST_AT_ONCE)]
    assert sum(flood) == MOST_AT_ONCE
    assert all(flood[:MOST_AT_ONCE])
    # Another kind has room of its own.
    assert limits.filter(a_record("log directory failed"))
    now += 1.0
    records = [a_record("connection closed") for _ in range(10)]
    assert [limits.filter(record) for record in records] == [True] + [False] * 9
    assert vars(records[0])["left_out"] == 2 * MOST_AT_ONCE
    now += 3600.0
    records = [a_record("connection closed") for _ in range(2)]
    assert all(limits.filter(record) for record in records)
    assert [vars(record).get("left_out") for record in records] == [9, None]


def test_debugging_has_no_limit() -> None:
    limits = LogLimits(lambda: 0.0)
    records = [a_record("client metrics", level=logging.DEBUG) for _ in range(2 * MOST_AT_ONCE)]
    assert all(limits.filter(record) for record in records)


def test_messages_of_other_packages_are_of_one_kind() -> None:
    """They need not be constants: each would have a count of its own, for ever."""
    limits = LogLimits(lambda: 0.0)
    names = [a_record(f"node {number}", "kazoo.client") for number in range(2 * MOST_AT_ONCE)]
    assert sum(limits.filter(record) for record in names) == MOST_AT_ONCE
