"""ShareSession: what one member of a share group fetches and acknowledges, from request to request."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from barnabas.coordinators.share_partition.partition import Acknowledge
from barnabas.errors import ErrorCode
from barnabas.protocol import share_acknowledge, share_fetch
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.share_acknowledge import ShareAcknowledgeRequest, ShareAcknowledgeResponse
from barnabas.protocol.share_fetch import ShareFetchRequest, ShareFetchResponse
from barnabas.records.columns.reading import decode_records
from sim.events import Place
from sim.world.caller import Caller, Lost
from sim.world.topic_ids import TopicIds

Kinds = Mapping[int, Acknowledge]
_T = TypeVar("_T")
_OPENS = 0
_MOST_BYTES = 20_000
_RENEWS = 2
"""The first version in which a lock can be renewed."""
_WAIT_MS = 300


class Taken(NamedTuple):
    """Offsets that were acquired, with how often they were delivered; those without a record."""

    counts: Mapping[int, int]
    gaps: frozenset[int]


class ShareResponse(NamedTuple):
    """What an answer says: why not, what was acquired, what became of acknowledgements."""

    error: ErrorCode
    taken: Mapping[Place, Taken]
    codes: Mapping[Place, ErrorCode]


class ShareSession:
    """One member's, over one connection. All raise `Lost`."""

    def __init__(self, caller: Caller, ids: TopicIds, who: tuple[str, str]) -> None:
        self.caller = caller
        self._ids = ids
        self._group, self._member_id = who
        self._epoch = _OPENS
        self._places: tuple[Place, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether something can be acknowledged."""
        return self._epoch != _OPENS

    @property
    def can_renew(self) -> bool:
        """Whether its requests have a word for that."""
        return self.caller.versions[ApiKey.SHARE_ACKNOWLEDGE] >= _RENEWS

    def reset(self) -> None:
        """Begin a new one with the next fetch."""
        self._epoch, self._places = _OPENS, ()

    async def _ask(self, request: object, kind: type[_T]) -> _T:
        """A session ends with its connection, whichever side finds out first that it broke."""
        if self.is_open and not self.caller.is_connected:
            raise Lost
        return await self.caller.ask(request, kind)

    async def fetch(
        self, places: Sequence[Place], most: int, acknowledgements: Mapping[Place, Kinds]
    ) -> ShareResponse:
        """Acquire at most so many records, strictly or by whole batches, and acknowledge some."""
        is_strict = bool(most % 2)
        added = [place for place in places if place not in self._places]
        gone = [place for place in self._places if place not in places]
        request = ShareFetchRequest(
            group_id=self._group,
            member_id=self._member_id,
            share_session_epoch=self._epoch,
            max_wait_ms=_WAIT_MS,
            min_bytes=1,
            max_bytes=_MOST_BYTES,
            max_records=most,
            batch_size=most,
            share_acquire_mode=int(is_strict),
            topics=[
                share_fetch.FetchTopic(
                    topic_id=self._ids.of(place[0]),
                    partitions=[
                        share_fetch.FetchPartition(
                            partition_index=place[1],
                            acknowledgement_batches=[
                                share_fetch.AcknowledgementBatch(
                                    first_offset=first, last_offset=last, acknowledge_types=kinds
                                )
                                for first, last, kinds in _batches(acknowledgements.get(place, {}))
                            ],
                        )
                    ],
                )
                for place in dict.fromkeys([*added, *acknowledgements])
            ],
            forgotten_topics_data=[
                share_fetch.ForgottenTopic(topic_id=self._ids.of(topic), partitions=[index])
                for topic, index in gone
            ],
        )
        answer = await self._ask(request, ShareFetchResponse)
        code = self._after(ErrorCode.of(answer.error_code))
        if not code:
            self._places = tuple(places)
        taken: dict[Place, Taken] = {}
        codes: dict[Place, ErrorCode] = {}
        for topic in answer.responses:
            for one in topic.partitions:
                place = self._ids.name_of(bytes(topic.topic_id)), one.partition_index
                codes[place] = ErrorCode.of(one.acknowledge_error_code)
                if one.acquired_records:
                    taken[place] = _taken(place, one)
                elif one.error_code:
                    assert ErrorCode.of(one.error_code).retriable, f"{place}: {one.error_code}"
        return ShareResponse(
            code, taken, {place: codes[place] for place in acknowledgements if not code}
        )

    async def acknowledge(self, acknowledgements: Mapping[Place, Kinds]) -> ShareResponse:
        """Say what became of records."""
        renews = any(Acknowledge.RENEW in kinds.values() for kinds in acknowledgements.values())
        request = ShareAcknowledgeRequest(
            group_id=self._group,
            member_id=self._member_id,
            share_session_epoch=self._epoch,
            is_renew_ack=renews,
            topics=[
                share_acknowledge.AcknowledgeTopic(
                    topic_id=self._ids.of(topic),
                    partitions=[
                        share_acknowledge.AcknowledgePartition(
                            partition_index=index,
                            acknowledgement_batches=[
                                share_acknowledge.AcknowledgementBatch(
                                    first_offset=first, last_offset=last, acknowledge_types=types
                                )
                                for first, last, types in _batches(kinds)
                            ],
                        )
                    ],
                )
                for (topic, index), kinds in acknowledgements.items()
            ],
        )
        answer = await self._ask(request, ShareAcknowledgeResponse)
        code = self._after(ErrorCode.of(answer.error_code))
        codes = {
            (self._ids.name_of(bytes(topic.topic_id)), one.partition_index): ErrorCode.of(
                one.error_code
            )
            for topic in answer.responses
            for one in topic.partitions
        }
        return ShareResponse(code, {}, codes)

    def _after(self, code: ErrorCode) -> ErrorCode:
        if not code:
            self._epoch += 1
        else:
            assert code.retriable, f"{self._member_id} got {code.name}"
            self.reset()
        return code


def _taken(place: Place, one: share_fetch.PartitionData) -> Taken:
    data = b"" if one.records is None else one.records
    assert isinstance(data, bytes | memoryview), "decoding gives one view"
    there = {record.offset for record in decode_records(data, *place)[0]}
    counts = {
        offset: span.delivery_count
        for span in one.acquired_records
        for offset in range(span.first_offset, span.last_offset + 1)
    }
    return Taken(counts, frozenset(counts.keys() - there))


def _batches(kinds: Kinds) -> Iterable[tuple[int, int, list[int]]]:
    """Neighbouring offsets together: one kind for all of them, or one for each."""
    run: list[int] = []
    for offset in sorted(kinds):
        if run and offset != run[-1] + 1:
            yield _batch(run, kinds)
            run = []
        run.append(offset)
    if run:
        yield _batch(run, kinds)


def _batch(run: Sequence[int], kinds: Kinds) -> tuple[int, int, list[int]]:
    numbers = [int(kinds[offset]) for offset in run]
    return (
        run[0],
        run[-1],
        numbers[:1] if len(set(numbers)) == 1 else numbers,
    )
