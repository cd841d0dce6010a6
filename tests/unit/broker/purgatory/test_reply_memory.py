from barnabas.broker.purgatory.reply_memory import MOST_GROWING_BYTES, ReplyMemory


def test_all_may_grow_while_there_is_room() -> None:
    memory = ReplyMemory()
    first, second = memory.share(), memory.share()
    assert first.room is None
    first.grow(MOST_GROWING_BYTES - 1)
    assert first.room is second.room is None


def test_without_room_only_the_first_goes_on() -> None:
    memory = ReplyMemory()
    first, second, third = memory.share(), memory.share(), memory.share()
    first.grow(1)
    second.grow(MOST_GROWING_BYTES)
    assert first.room is None
    waiting = [second.room, third.room]
    assert [one is not None and one.is_done for one in waiting] == [False, False]
    first.end()
    assert [one is not None and one.is_done for one in waiting] == [True, True]
    assert second.room is None
    assert third.room is not None


def test_what_has_ended_takes_nothing() -> None:
    memory = ReplyMemory()
    first, second = memory.share(), memory.share()
    first.grow(MOST_GROWING_BYTES)
    first.end()
    first.end()
    second.end()
    assert second.room is None
