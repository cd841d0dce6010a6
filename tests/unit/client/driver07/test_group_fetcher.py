"""Partitions of which one cannot be read, while the others are."""

import threading
from collections.abc import Sequence

import pytest

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.cluster import Address
from barnabas.client.driver07.group_fetcher import GroupFetcher
from barnabas.client.driver07.simple_consumer import EARLIEST, FetchStart07, SimpleConsumer
from barnabas.dialects.kafka07.frames import FetchReply
from barnabas.errors import BrokerError, ConnectionFailed, ErrorCode
from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.message07 import FetchTooSmall, encode_set
from barnabas.runtime.clock import SystemClock

DOGS = encode_set([b"rex"], codec=Codec.NONE)


class Refusing(SimpleConsumer):
    """Has a message in partition 0, not the requested offset in 1, and refuses to report which it has."""

    def multi_fetch(self, asked: Sequence[FetchStart07]) -> list[FetchReply]:
        return [
            FetchReply(ErrorCode.OFFSET_OUT_OF_RANGE, memoryview(b""))
            if one.partition
            else FetchReply(0, memoryview(b"" if one.offset else DOGS))
            for one in asked
        ]

    def offsets(
        self, topic: str, partition: int, time: int = EARLIEST, max_number: int = 1
    ) -> list[int]:
        raise BrokerError(ErrorCode.UNKNOWN_SERVER_ERROR, "code -1")


class Holding(SimpleConsumer):
    """Has a large message between small ones, and remembers how much was asked for."""

    log = memoryview(encode_set([b"small", b"large" * 1000, b"small", b"small"]))

    def __init__(self, sizes: list[int]) -> None:
        super().__init__("here", 1)
        self._seen = sizes

    def multi_fetch(self, asked: Sequence[FetchStart07]) -> list[FetchReply]:
        self._seen += [one.max_size for one in asked]
        return [FetchReply(0, self.log[one.offset : one.offset + one.max_size]) for one in asked]


@pytest.mark.parametrize("size", [20, 3])
def test_more_is_asked_for_only_while_a_message_needs_it(size: int) -> None:
    sizes: list[int] = []
    fetcher = GroupFetcher(lambda _: Holding(sizes), SystemClock(), size, EARLIEST)
    fetcher.see_brokers({1: Address("here", 1)})
    fetcher.begin(("dogs", BrokerPartition(1, 0)), 0)
    chunks = [chunk for _ in range(20) for chunk in fetcher.fetch()]
    assert [len(one.payload) for chunk in chunks for one in chunk.messages] == [5, 5000, 5, 5]
    assert (max(sizes), sizes[-1]) == (5010, size)


def test_a_message_that_is_never_whole_is_an_error() -> None:
    for data in (b"\x7f\xff\xff\xff" + bytes(100), encode_set([b"torn"])[:-1], b"\0\0"):
        holding = Holding([])
        holding.log = memoryview(data)
        fetcher = GroupFetcher(lambda _, one=holding: one, SystemClock(), 3, EARLIEST)  # type: ignore[misc]
        fetcher.see_brokers({1: Address("here", 1)})
        fetcher.begin(("dogs", BrokerPartition(1, 0)), 0)
        with pytest.raises(FetchTooSmall):
            assert not [fetcher.fetch() for _ in range(50)]


class Silent(SimpleConsumer):
    """Accepts, and never answers until it is closed."""

    def __init__(self) -> None:
        super().__init__("there", 2)
        self.ended = threading.Event()

    def multi_fetch(self, asked: Sequence[FetchStart07]) -> list[FetchReply]:
        self.ended.wait()
        raise ConnectionFailed("closed")

    def offsets(
        self, topic: str, partition: int, time: int = EARLIEST, max_number: int = 1
    ) -> list[int]:
        self.ended.wait()
        raise ConnectionFailed("closed")

    def interrupt(self) -> None:
        self.ended.set()


@pytest.mark.parametrize("committed", [0, None], ids=["fetched", "asked where it begins"])
def test_a_silent_broker_holds_up_no_other_and_no_caller(committed: int | None) -> None:
    silent = Silent()

    def connect(address: Address) -> SimpleConsumer:
        return silent if address.host == "there" else Refusing(*address)

    fetcher = GroupFetcher(connect, SystemClock(), 1000, EARLIEST)
    fetcher.see_brokers({1: Address("there", 2), 2: Address("here", 1)})
    fetcher.begin(("dogs", BrokerPartition(1, 0)), committed)
    fetcher.begin(("dogs", BrokerPartition(2, 0)), 0)
    # It would not come back at all if it waited for the silent one.
    chunks = [chunk for _ in range(3) for chunk in fetcher.fetch(0.1)]
    while not chunks:
        chunks = fetcher.fetch(0.1)
    assert [bytes(each.payload) for chunk in chunks for each in chunk.messages] == [b"rex"]
    assert not silent.ended.is_set()
    fetcher.close()
    assert silent.ended.is_set()


def test_what_comes_for_a_place_that_was_given_away_meanwhile_is_not_handed_out() -> None:
    place = ("dogs", BrokerPartition(1, 0))
    fetcher = a_fetcher()
    fetcher.begin(place, 0)
    fetcher.fetch(0)
    fetcher.keep_only(set())
    assert fetcher.fetch() == []
    fetcher.begin(place, len(DOGS))
    assert fetcher.fetch() == []


def a_fetcher() -> GroupFetcher:
    fetcher = GroupFetcher(lambda address: Refusing(*address), SystemClock(), 1000, EARLIEST)
    fetcher.see_brokers({1: Address("here", 1)})
    return fetcher


def test_what_other_places_have_is_given_before_a_broker_that_refuses_is_an_error() -> None:
    fetcher = a_fetcher()
    for index in (0, 1):
        assert fetcher.begin(("dogs", BrokerPartition(1, index)), 0)
    given = fetcher.fetch()
    assert [bytes(each.payload) for chunk in given for each in chunk.messages] == [b"rex"]
    with pytest.raises(BrokerError, match="code -1"):
        fetcher.fetch()


def test_a_place_whose_beginning_is_refused_is_not_begun_and_that_is_reported() -> None:
    fetcher = a_fetcher()
    assert not fetcher.begin(("dogs", BrokerPartition(1, 0)), None)
    with pytest.raises(BrokerError, match="code -1"):
        fetcher.fetch()
