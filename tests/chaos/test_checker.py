"""The checker finds each fault in a made-up history, and nothing in one without."""

import pytest

from tests.chaos.checker import complaints
from tests.chaos.history import History, Log, Logs, Outcome, Read, Run, Sent, Transaction

PLAIN, LISTS, MORE = ("plain", 0), ("lists", 0), ("lists", 1)


def history(outcome: Outcome = Outcome.COMMITTED) -> History:
    """Three records, a transaction over two partitions, and a reader of it all."""
    transaction = Transaction("t:0", {LISTS: ["t:0", "t:1"], MORE: ["t:2"]}, outcome)
    return History(
        sent=[Sent(PLAIN, number, f"w:{number}") for number in range(3)],
        transactions=[transaction],
    )


def logs(
    plain: tuple[tuple[int, str], ...] = ((0, "w:0"), (1, "w:1"), (2, "w:2")),
    lists: tuple[tuple[int, str], ...] = ((4, "t:0"), (5, "t:1")),
    more: tuple[tuple[int, str], ...] = ((7, "t:2"),),
) -> Logs:
    log: Log = {PLAIN: plain, LISTS: lists, MORE: more}
    return Logs(log, log)


def test_a_history_without_faults() -> None:
    assert complaints(history(), logs()) == []
    assert complaints(history(Outcome.UNKNOWN), logs()) == []
    assert complaints(history(Outcome.UNKNOWN), logs(lists=(), more=())) == []
    assert complaints(history(Outcome.ABORTED), logs(lists=(), more=())) == []


def test_what_was_aborted_is_in_the_log_and_no_reader_of_committed_records_sees_it() -> None:
    aborted = Logs(logs().all, logs(lists=(), more=()).all)
    found = history(Outcome.ABORTED)
    found.runs = [
        Run(
            "uncommitted",
            committed_only=False,
            records=[Read(LISTS, 4, "t:0"), Read(LISTS, 5, "t:1")],
        )
    ]
    assert complaints(found, aborted) == []
    found.runs = [Run("committed", committed_only=True, records=[Read(LISTS, 4, "t:0")])]
    assert complaints(found, aborted) == [
        "unread: committed read t:0 in lists-0 at 4, there is None"
    ]


@pytest.mark.parametrize(
    ("plain", "complaint"),
    [
        (((0, "w:0"), (1, "w:1")), "lost: w:2 was acknowledged in plain-0 at 2"),
        (
            ((0, "w:0"), (1, "w:1"), (3, "w:2")),
            "moved: w:2 was acknowledged in plain-0 at 2, it is in plain-0 at 3",
        ),
        (
            ((0, "w:0"), (1, "w:1"), (2, "w:2"), (3, "w:2")),
            "doubled: w:2 is there 2 times",
        ),
        (
            ((0, "w:0"), (1, "w:1"), (2, "w:2"), (3, "x:0")),
            "made up: x:0 in plain-0 at 3, which nobody sent",
        ),
    ],
    ids=["lost", "moved", "doubled", "made up"],
)
def test_acknowledged_records(plain: tuple[tuple[int, str], ...], complaint: str) -> None:
    assert complaints(history(), logs(plain=plain)) == [complaint]


def test_reordered_records() -> None:
    found = history()
    found.sent[1:] = [Sent(PLAIN, 1, "w:2"), Sent(PLAIN, 2, "w:1")]
    swapped = logs(plain=((0, "w:0"), (1, "w:2"), (2, "w:1")))
    assert complaints(found, swapped) == ["reordered: w:1 in plain-0 at 2 is behind 2"]


def test_a_record_that_was_given_up_may_be_there_or_not() -> None:
    found = history()
    found.given_up = ["w:3"]
    assert complaints(found, logs()) == []
    assert complaints(found, logs(plain=(*logs().all[PLAIN], (3, "w:3")))) == []


@pytest.mark.parametrize(
    ("outcome", "complaint"),
    [
        (Outcome.COMMITTED, "lost: t:0 was committed, without t:2 of lists-1"),
        (Outcome.ABORTED, "returned: t:0 was aborted, 2 of its records are there"),
        (Outcome.UNKNOWN, "torn: t:0 is there without t:2 of lists-1"),
    ],
)
def test_torn_transactions(outcome: Outcome, complaint: str) -> None:
    assert complaints(history(outcome), logs(more=())) == [complaint]


@pytest.mark.parametrize(
    ("read", "complaint"),
    [
        ([Read(PLAIN, 1, "w:9")], "unread: r read w:9 in plain-0 at 1, there is w:1"),
        ([Read(PLAIN, 3, "w:3")], "unread: r read w:3 in plain-0 at 3, there is None"),
        (
            [Read(PLAIN, 0, "w:0"), Read(PLAIN, 2, "w:2")],
            "skipped: r left out 1 in plain-0 at 0 to 2",
        ),
        (
            [Read(PLAIN, 1, "w:1"), Read(PLAIN, 1, "w:1")],
            "went back: r read plain-0 at 1 after 1",
        ),
    ],
    ids=["changed", "gone", "skipped", "went back"],
)
def test_readers(read: list[Read], complaint: str) -> None:
    found = history()
    found.runs = [Run("r", committed_only=True, records=read)]
    assert complaints(found, logs()) == [complaint]


def test_what_a_client_must_not_be_answered() -> None:
    found = history()
    found.errors = ["a reader's position is out of range"]
    assert complaints(found, logs()) == ["a reader's position is out of range"]
