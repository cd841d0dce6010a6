"""GroupFetcher: fetches a consumer's partitions, one request per broker, and tracks positions.

`positions` are the next offsets to fetch. Ownership, and what was returned, are not known here.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from struct import Struct
from typing import Any, NamedTuple, TypeVar

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.cluster import Address
from barnabas.client.driver07.membership import Place
from barnabas.client.driver07.simple_consumer import FetchStart07, SimpleConsumer, opened
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
from barnabas.records.messages07.message07 import FetchTooSmall, Message

log = logging.getLogger(__name__)

_LARGEST_FETCH = 1 << 26
_LENGTH = Struct(">i")
_SMALL_MESSAGE = 64
_BROKER_PAUSE_SECONDS = 1.0
_Answer = TypeVar("_Answer")
_UNREACHABLE = (ConnectionFailed, RequestTimeout, DecodeError)


class Chunk(NamedTuple):
    """Messages of one partition in order; `next_offset` is the group's position after them."""

    topic: str
    partition: BrokerPartition
    messages: list[Message]
    next_offset: int


class _Asking(NamedTuple):
    """A pending request to a broker, and what it is for."""

    places: list[Place]
    asked: list[FetchStart07]
    answer: "Future[list[FetchReply]]"


class GroupFetcher:
    """One thread per broker sends requests: a silent broker delays no other.

    `connect` creates a consumer for a broker's address; `first_time` says where a new group starts.
    """

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
        self._open: dict[int, tuple[ThreadPoolExecutor, SimpleConsumer]] = {}
        self._asking: dict[int, _Asking] = {}
        self._finding: dict[Place, Future[list[int]]] = {}
        self._silent_until: dict[int, float] = {}
        self._sizes: dict[Place, int] = {}
        self._failed: KafkaError | None = None
        self.positions: dict[Place, int] = {}

    def see_brokers(self, brokers: Mapping[int, Address]) -> None:
        """Update the brokers' addresses."""
        for number in [each for each in self._open if self._brokers[each] != brokers.get(each)]:
            self._let_go(number)
        self._brokers = dict(brokers)
        self._silent_until.clear()

    def keep_only(self, places: Iterable[Place]) -> None:
        """Drop all other places."""
        for place in self.positions.keys() - set(places):
            del self.positions[place]
            self._sizes.pop(place, None)
        for place in self._finding.keys() - set(places):
            del self._finding[place]

    def begin(self, place: Place, committed: int | None) -> bool:
        """Fetch a place from its group's position; False: its broker must be asked for the start first."""
        if place in self._finding:
            return False
        if committed is None:
            self._find(place)
        else:
            self.positions[place] = committed
        return committed is not None

    def fetch(self, seconds: float = 1.0) -> list[Chunk]:
        """Return the messages of all places.

        Positions advance: return the messages to the user, or lose them.

        A broker without a response in time is waited for by the next call.

        Raises:
            CorruptRecord: a place is unreadable; raised when there is nothing else to return.
            BrokerError: likewise, if a broker refuses.
        """
        until = self._clock.monotonic() + seconds
        chunks: list[Chunk] = []
        asked: set[int] = set()
        while True:
            self._ask_all(asked)
            self._take_found()
            for broker in [each for each, one in self._asking.items() if one.answer.done()]:
                chunks += self._take(broker)
            left = until - self._clock.monotonic()
            outstanding: list[Future[Any]] = [one.answer for one in self._asking.values()]
            outstanding += self._finding.values()
            if chunks or left <= 0 or not (outstanding or self._may_ask(asked)):
                break
            wait(outstanding, left, FIRST_COMPLETED)
        if self._failed is not None and not chunks:
            failed, self._failed = self._failed, None
            raise failed
        return chunks

    def close(self) -> None:
        """Close all connections."""
        for broker in [*self._open]:
            self._let_go(broker)

    def _ask_all(self, asked: set[int]) -> None:
        """Send one request to each broker: first for start offsets, then for messages."""
        for broker in self._may_ask(asked):
            asked.add(broker)
            self._ask(broker)

    def _ask(self, broker: int) -> None:
        places = sorted(each for each in self.positions if each[1].broker == broker)
        asked = [
            FetchStart07(topic, one.partition, self.positions[topic, one], self._size((topic, one)))
            for topic, one in places
        ]
        answer = self._call(broker, lambda consumer: consumer.multi_fetch(asked))
        if answer is not None:
            self._asking[broker] = _Asking(places, asked, answer)

    def _may_ask(self, asked: set[int]) -> list[int]:
        busy = self._asking.keys() | {place[1].broker for place in self._finding}
        return sorted({place[1].broker for place in self.positions} - busy - asked)

    def _take(self, broker: int) -> list[Chunk]:
        places, asked, answer = self._asking.pop(broker)
        replies = self._outcome(broker, answer) or []
        chunks: list[Chunk] = []
        for place, one, reply in zip(places, asked, replies, strict=bool(replies)):
            # By now others may own it, or this consumer again, at another position.
            if self.positions.get(place) == one.offset:
                chunks += self._read(place, reply)
        return chunks

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
        log.warning(
            "offset does not exist any more",
            extra={"topic": place[0], "partition": place[1], "offset": self.positions.pop(place)},
        )
        self._find(place)

    def _find(self, place: Place) -> None:
        """Look up the start for a group without an offset, or whose offset is gone."""
        topic, (broker, partition) = place
        answer = self._call(
            broker, lambda consumer: consumer.offsets(topic, partition, self._first_time)
        )
        if answer is not None:
            self._finding[place] = answer

    def _take_found(self) -> None:
        for place in [each for each, answer in self._finding.items() if answer.done()]:
            try:
                found = self._outcome(place[1].broker, self._finding.pop(place))
            except BrokerError as error:
                # Other places may have advanced by now: `fetch` returns their messages first.
                self._failed = error
            else:
                if found:
                    self.positions[place] = found[0]

    def _size(self, place: Place) -> int:
        return self._sizes.get(place, self._fetch_size)

    def _call(
        self, broker: int, ask: Callable[[SimpleConsumer], _Answer]
    ) -> "Future[_Answer] | None":
        """Send in the broker's thread; None: its address is unknown, or it is backing off."""
        address = self._brokers.get(broker)
        now = self._clock.monotonic()
        if address is None or now < self._silent_until.get(broker, now):
            return None
        if broker not in self._open:
            thread = ThreadPoolExecutor(1, f"barnabas-fetcher07-{broker}")
            self._open[broker] = (thread, self._connect(address))
        thread, consumer = self._open[broker]
        return thread.submit(ask, consumer)

    def _outcome(self, broker: int, answer: "Future[_Answer]") -> _Answer | None:
        """None if the broker does not respond; it then backs off."""
        try:
            return answer.result()
        except _UNREACHABLE as error:
            log.warning("broker does not answer", extra={"broker": broker, "error": error})
            self._silent_until[broker] = self._clock.monotonic() + _BROKER_PAUSE_SECONDS
            return None

    def _let_go(self, broker: int) -> None:
        """Close a broker's connection; its pending request is dropped."""
        if broker in self._asking:
            self._asking.pop(broker).answer.cancel()
        for place in [each for each in self._finding if each[1].broker == broker]:
            self._finding.pop(place).cancel()
        thread, consumer = self._open.pop(broker)
        consumer.interrupt()
        thread.submit(consumer.close)
        thread.shutdown(wait=False)


def _needed(begun: memoryview) -> int:
    """How many bytes to fetch to get the whole message that starts like this."""
    if len(begun) < _LENGTH.size:
        return _SMALL_MESSAGE
    length: int = _LENGTH.unpack_from(begun)[0]
    return _LENGTH.size + length
