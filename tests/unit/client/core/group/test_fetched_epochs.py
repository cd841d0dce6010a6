"""Which leader epoch was before an offset, of batches that were fetched."""

from barnabas.client.core.group.fetched_epochs import FetchedEpochs


def batch(base_offset: int, epoch: int, magic: int = 2) -> bytes:
    head = base_offset.to_bytes(8) + (49).to_bytes(4) + epoch.to_bytes(4) + bytes([magic])
    return head.ljust(61, b"\0")


def fetched(trail: FetchedEpochs, *batches: tuple[int, int]) -> None:
    trail.extend(memoryview(b"".join(batch(*each) for each in batches)), batches[-1][1])


def before(trail: FetchedEpochs, offset: int) -> int:
    return trail.until(1000).before(offset)


def test_nothing_is_known_at_first() -> None:
    trail = FetchedEpochs()
    assert before(trail, 5) == -1
    trail.begin(5, -1)
    assert before(trail, 5) == -1


def test_an_epoch_holds_from_its_first_batch_on() -> None:
    trail = FetchedEpochs()
    fetched(trail, (0, 2), (5, 2), (10, 4))
    fetched(trail, (20, 4), (30, 4))
    fetched(trail, (40, 7))
    assert [before(trail, each) for each in (0, 1, 10, 11, 40, 41)] == [-1, 2, 2, 4, 4, 7]


def test_what_was_committed_holds_until_something_is_fetched() -> None:
    trail = FetchedEpochs()
    trail.begin(15, 1)
    assert before(trail, 15) == 1
    fetched(trail, (10, 3))
    assert before(trail, 15) == 3, "the batch tells better: it began before the position"


def test_messages_of_old_formats_have_none() -> None:
    trail = FetchedEpochs()
    trail.extend(memoryview(batch(0, 9, magic=1)), -1)
    assert before(trail, 1) == -1
    trail.extend(memoryview(batch(3, 2) + batch(4, 9, magic=1)), -1)
    assert before(trail, 4) == 2


def test_only_the_last_changes_are_kept() -> None:
    trail = FetchedEpochs()
    for epoch in range(100):
        fetched(trail, (epoch * 10, epoch))
    assert (before(trail, 5), before(trail, 991)) == (-1, 99)


def test_what_is_known_now_stays_so() -> None:
    trail = FetchedEpochs()
    fetched(trail, (0, 2))
    known = trail.until(10)
    fetched(trail, (5, 3))
    assert [known.before(each) for each in (6, 10, 11)] == [2, 2, -1]
