"""SimProducer: an idempotent producer that sends until its quota is acknowledged, come what may."""

from barnabas.errors import ErrorCode
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.protocol.produce import PartitionProduceResponse, ProduceResponse
from sim.clients.sent_batch import SentBatch, drawn_values
from sim.events import Acknowledged, AllOnTheirWay, Place, ProducerRefused
from sim.world.caller import Caller, Lost
from sim.world.site import Site

_MOST_IN_FLIGHT = 5
_MOST_PATIENCE_S = 3.0
"""Long enough for a broker that is back to look for producers to forget."""
_LATER = frozenset(
    {
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.REQUEST_TIMED_OUT,
    }
)
_FORGOTTEN = frozenset({ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID})


class SimProducer:
    """Sends rounds of a few batches to one partition; who got no answer is sent again, as it was.

    With `timestamp_ms` all records are of that time.
    """

    def __init__(self, site: Site, rounds: int, timestamp_ms: int | None) -> None:
        self._site = site
        self._timestamp_ms = timestamp_ms
        self._left = rounds
        self._producer = (-1, -1)
        self._sequences: dict[Place, int] = {}
        self._numbers: dict[Place, int] = {}

    @property
    def is_done(self) -> bool:
        """Whether its quota is acknowledged."""
        return not self._left

    async def run(self) -> None:
        """Send all."""
        site = self._site
        caller = site.caller()
        await self._begin(caller)
        while self._left:
            await site.sleep(0.0, 0.8)
            place = site.entropy.one_of(site.places)
            batches = [self._batch(place) for _ in range(1 + site.entropy.below(_MOST_IN_FLIGHT))]
            await self._send(caller, place, batches)
            self._left -= 1
        caller.hang_up()
        site.note(site.name, "is done")

    async def _begin(self, caller: Caller) -> None:
        """Get an id, and count from the beginning."""
        while True:
            try:
                answer = await caller.ask(
                    InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000),
                    InitProducerIdResponse,
                )
            except Lost:
                await self._site.sleep(0.1, 1.0)
                continue
            if not answer.error_code:
                break
            await self._site.sleep(0.1, 1.0)
        self._producer = answer.producer_id, answer.producer_epoch
        self._sequences.clear()
        self._site.note(self._site.name, f"is producer {self._producer}")

    def _batch(self, place: Place) -> SentBatch:
        first = self._numbers.get(place, 0)
        sequence = self._sequences.get(place, 0)
        values = drawn_values(self._site, place, first)
        producer = (*self._producer, sequence)
        batch = SentBatch.of(self._site, place, values, producer, timestamp_ms=self._timestamp_ms)
        self._numbers[place] = first + len(batch.values)
        self._sequences[place] = sequence + len(batch.values)
        return batch

    async def _send(self, caller: Caller, place: Place, batches: list[SentBatch]) -> None:
        """Until all are acknowledged, or it is not known whether they are."""
        site = self._site
        while batches:
            mark = site.mark()
            answered = await self._ask(caller, place, batches)
            for answer in answered:
                code = ErrorCode.of(answer.error_code)
                site.note(site.name, f"{place[1]}: {code.name} at {answer.base_offset}")
                if not code:
                    done = batches.pop(0)
                    site.tell(site.name, Acknowledged(mark, place, answer.base_offset, done.values))
                elif code in _FORGOTTEN and site.may_lose():
                    # Its numbers are gone with the records: what became of these nobody knows.
                    await self._begin(caller)
                    return
                elif code in _LATER:
                    break
                else:
                    site.tell(site.name, ProducerRefused(site.name, code.name))
            if batches:
                await site.sleep(0.05, _MOST_PATIENCE_S)

    async def _ask(
        self, caller: Caller, place: Place, batches: list[SentBatch]
    ) -> list[PartitionProduceResponse]:
        """The answers that came, in the order of the batches."""
        answers: list[PartitionProduceResponse] = []
        try:
            await caller.connect()
            promises = [caller.send(batch.request) for batch in batches]
            if len(promises) == _MOST_IN_FLIGHT:
                self._site.tell(self._site.name, AllOnTheirWay(self._site.name, place))
            for promise in promises:
                answer = await promise
                assert isinstance(answer, ProduceResponse)
                answers += answer.responses[0].partition_responses
        except Lost:
            self._site.note(self._site.name, "lost its connection")
        return answers
