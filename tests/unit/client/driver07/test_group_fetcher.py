"""Places of which one cannot be read, while the others go on."""

from collections.abc import Sequence

import pytest

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.cluster import Address
from barnabas.client.driver07.group_fetcher import GroupFetcher
from barnabas.client.driver07.simple_consumer import EARLIEST, Asked, SimpleConsumer
from barnabas.dialects.kafka07.frames import FetchReply
from barnabas.errors import BrokerError, ErrorCode
from barnabas.records.compression import Codec
from barnabas.records.message07 import encode_set
from barnabas.runtime.clock import SystemClock

DOGS = encode_set([b"rex"], codec=Codec.NONE)


class Refusing(SimpleConsumer):
    """Has a message in partition 0, not the offset asked for in 1, and refuses to say which it has."""

    def multi_fetch(self, asked: Sequence[Asked]) -> list[FetchReply]:
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


def test_a_place_whose_beginning_is_refused_is_not_begun_and_that_is_told() -> None:
    fetcher = a_fetcher()
    assert not fetcher.begin(("dogs", BrokerPartition(1, 0)), None)
    with pytest.raises(BrokerError, match="code -1"):
        fetcher.fetch()
