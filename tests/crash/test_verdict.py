"""The judge itself: it must see each kind of broken promise."""

from types import SimpleNamespace
from typing import cast

import pytest

from tests.crash.verdict import Log, complaints
from tests.crash.writers import Promises, Writer


def writer(*, idempotent: bool = True, kept: dict[tuple[int, int], bytes] | None = None) -> Writer:
    promises = Promises(kept=kept or {}, sent=3)
    made = SimpleNamespace(name="w", idempotent=idempotent, promises=promises)
    return cast("Writer", made)


def log(*numbers: int) -> Log:
    return {0: [(offset, b"w:0:%d" % number) for offset, number in enumerate(numbers)]}


def test_kept_promises_are_no_complaint() -> None:
    assert complaints(log(0, 1, 2), [writer(kept={(0, 1): b"w:0:1"})]) == []
    assert complaints(log(0, 1, 1, 2), [writer(idempotent=False)]) == []


@pytest.mark.parametrize(
    ("seen", "given"),
    [
        (log(0, 2), "lost"),
        (log(1, 0, 2), "out of order"),
        (log(0, 1, 1, 2), "1 twice"),
        ({0: [(0, b"w:0:0"), (2, b"w:0:1"), (3, b"w:0:2")]}, "offsets are not"),
    ],
)
def test_each_broken_promise_is_seen(seen: Log, given: str) -> None:
    assert given in " ".join(complaints(seen, [writer()]))


def test_an_offset_that_changed_its_content_is_seen() -> None:
    (line,) = complaints(log(0, 1, 2), [writer(kept={(0, 1): b"w:0:2"})])
    assert "acknowledged at (0, 1)" in line
