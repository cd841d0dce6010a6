"""GroupFetcher: fetches what a consumer owns, each broker with one request, and knows how far it is.

`positions` is where to fetch next, `handed` what its caller was given. Who owns what is not here.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from struct import Struct
from typing import NamedTuple, TypeVar

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.cluster import Address
from barnabas.client.driver07.membership import Place
from barnabas.client.driver07.simple_consumer import Asked, SimpleConsumer, opened
from barnabas.dialects.kafka07.frames import FetchReply
from barnabas.errors import (
    BrokerError,
    ConnectionFailed,
    CorruptRecord,
    DecodeError,
    ErrorCode,
    KafkaError,
    RequestTimeout,
)
from barnabas.ports import Clock
from barnabas.records.message07 import FetchTooSmall, Message

log = logging.getLogger(__name__)

_LARGEST_FETCH = 1 << 26
_LENGTH = Struct(">i")
_SMALL_MESSAGE = 64
_BROKER_PAUSE_SECONDS = 1.0
_Answer = TypeVar("_Answer")
_UNREACHABLE = (ConnectionFailed, RequestTimeout, DecodeError)


class Chunk(NamedTuple):
    """Messages of one partition in order; `next_offset` is where the group goes on after them."""

    topic: str
    partition: BrokerPartition
    messages: list[Message]
    next_offset: int


class GroupFetcher:
    """`connect` gives a consumer for a broker's address; `first_time` says where a new group begins."""

    def __init__(
        self,
        connect: Callable[[Address], SimpleConsumer],
        clock: Clock,
        fetch_size: int,
        first_time: int,
    ) -> None:
        self._connect = connect
        self._clock = clock
        self._fetch_size = fetch_size
        self._first_time = first_time
        self._brokers: dict[int, Address] = {}
        self._open: dict[int, SimpleConsumer] = {}
        self._silent_until: dict[int, float] = {}
        self._sizes: dict[Place, int] = {}
        self._failed: KafkaError | None = None
        self.positions: dict[Place, int] = {}

    def see_brokers(self, brokers: Mapping[int, Address]) -> None:
        """Where the brokers are now."""
        for number in [each for each in self._open if self._brokers[each] != brokers.get(each)]:
            self._open.pop(number).close()
        self._brokers = dict(brokers)
        self._silent_until.clear()

    def keep_only(self, places: Iterable[Place]) -> None:
        """Forget all others."""
        for place in self.positions.keys() - set(places):
            del self.positions[place]
            self._sizes.pop(place, None)

    def begin(self, place: Place, committed: int | None) -> bool:
        """Fetch a place from where its group is, or is to begin; False: its broker does not say."""
        offset = committed
        if offset is None:
            offset = self._offset_at(place, self._first_time)
        if offset is not None:
            self.positions[place] = offset
        return offset is not None

    def fetch(self) -> list[Chunk]:
        """What there is of all places. Their positions move on: hand it out, or lose it.

        Raises:
            CorruptRecord: a place cannot be read; this is raised when there is nothing else to give.
            BrokerError: the same, where a broker refuses.
        """
        chunks: list[Chunk] = []
        for broker in sorted({place[1].broker for place in self.positions}):
            places = sorted(each for each in self.positions if each[1].broker == broker)
            replies = self._replies(broker, places)
            for place, reply in zip(places, replies, strict=bool(replies)):
                chunks += self._read(place, reply)
        if self._failed is not None and not chunks:
            failed, self._failed = self._failed, None
            raise failed
        return chunks

    def close(self) -> None:
        """Let go of all connections."""
        for one in self._open.values():
            one.close()
        self._open.clear()

    def _replies(self, broker: int, places: list[Place]) -> list[FetchReply]:
        asked = [
            Asked(topic, one.partition, self.positions[topic, one], self._size((topic, one)))
            for topic, one in places
        ]
        answer = self._call(broker, lambda consumer: consumer.multi_fetch(asked))
        return answer or []

    def _read(self, place: Place, reply: FetchReply) -> list[Chunk]:
        offset = self.positions[place]
        try:
            messages, next_offset = opened(reply, offset)
        except FetchTooSmall as error:
            needed = _needed(reply.messages)
            if self._size(place) >= needed or needed > _LARGEST_FETCH:
                self._failed = error
            else:
                self._sizes[place] = needed
            return []
        except BrokerError as error:
            self._refused(place, error)
            return []
        except CorruptRecord as error:
            self._failed = error
            return []
        self.positions[place] = next_offset
        self._sizes.pop(place, None)
        return [Chunk(*place, messages, next_offset)] if messages else []

    def _refused(self, place: Place, error: BrokerError) -> None:
        if error.code != ErrorCode.OFFSET_OUT_OF_RANGE:
            self._failed = error
            return
        offset = self._offset_at(place, self._first_time)
        log.warning(
            "offset is not there any more",
            extra={"topic": place[0], "partition": place[1], "goes_on_at": offset},
        )
        if offset is not None:
            self.positions[place] = offset

    def _offset_at(self, place: Place, time: int) -> int | None:
        topic, (broker, partition) = place
        try:
            found = self._call(broker, lambda consumer: consumer.offsets(topic, partition, time))
        except BrokerError as error:
            # Other places may have moved on by now: `fetch` gives what they have first.
            self._failed = error
            return None
        return found[0] if found else None

    def _size(self, place: Place) -> int:
        return self._sizes.get(place, self._fetch_size)

    def _call(self, broker: int, ask: Callable[[SimpleConsumer], _Answer]) -> _Answer | None:
        """None from a broker that does not answer; it is left alone for a while then."""
        address = self._brokers.get(broker)
        now = self._clock.monotonic()
        if address is None or now < self._silent_until.get(broker, now):
            return None
        if broker not in self._open:
            self._open[broker] = self._connect(address)
        try:
            return ask(self._open[broker])
        except _UNREACHABLE as error:
            log.warning("broker does not answer", extra={"broker": broker, "error": error})
            self._silent_until[broker] = now + _BROKER_PAUSE_SECONDS
            return None


def _needed(begun: memoryview) -> int:
    """What must be asked for to have the message that begins so as a whole."""
    if len(begun) < _LENGTH.size:
        return _SMALL_MESSAGE
    length: int = _LENGTH.unpack_from(begun)[0]
    return _LENGTH.size + length
