"""ClusterProducer: an idempotent producer with acks=all that follows the leaders of its partitions."""

from barnabas.errors import ErrorCode
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.protocol.produce import ProduceResponse
from sim.clients.sent_batch import SentBatch, drawn_values
from sim.cluster.routing import Routing
from sim.events import Acknowledged, Place, ProducerRefused
from sim.world.caller import Lost
from sim.world.site import Site

_MOST_IN_FLIGHT = 5
_PATIENCE_SECONDS = 5.0
_NO_PRODUCER = (-1, -1, -1)
_AGAIN = frozenset(
    {
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.KAFKA_STORAGE_ERROR,
        # A leader that is one no more lacks what another one has acknowledged.
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.UNKNOWN_PRODUCER_ID,
    }
)


class ClusterProducer:
    """Sends rounds of a few batches; what is not acknowledged is sent again, as it was."""

    def __init__(self, site: Site, routing: Routing, rounds: int) -> None:
        self._site = site
        self._routing = routing
        self._left = rounds
        self._producer = (-1, -1)
        self._numbers: dict[Place, int] = {}

    @property
    def is_done(self) -> bool:
        """Whether all is acknowledged."""
        return not self._left

    async def run(self) -> None:
        """Send all."""
        site = self._site
        await self._begin()
        while self._left:
            await site.sleep(0.0, 1.5)
            place = site.entropy.one_of(site.places)
            batches = [self._batch(place) for _ in range(1 + site.entropy.below(_MOST_IN_FLIGHT))]
            while batches:
                await self._send(place, batches)
            self._left -= 1
        site.note(site.name, "is done")

    async def _begin(self) -> None:
        request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000)
        while self._producer[0] < 0:
            await self._site.sleep(0.0, 0.5)
            try:
                answer = await self._routing.any_broker().ask(request, InitProducerIdResponse)
            except Lost:
                continue
            if not answer.error_code:
                self._producer = answer.producer_id, answer.producer_epoch

    def _batch(self, place: Place) -> SentBatch:
        first = self._numbers.get(place, 0)
        values = drawn_values(self._site, place, first)
        self._numbers[place] = first + len(values)
        return SentBatch.of(self._site, place, values, (*self._producer, first))

    async def _send(self, place: Place, batches: list[SentBatch]) -> None:
        """Once; those that are acknowledged are taken out."""
        site = self._site
        known, caller = await self._routing.leader(place)
        try:
            await caller.connect()
            promises = [caller.send(one.request, _PATIENCE_SECONDS) for one in batches]
            for promise in promises:
                mark, response = site.mark(), await promise
                assert isinstance(response, ProduceResponse)
                answer = response.responses[0].partition_responses[0]
                code = ErrorCode.of(answer.error_code)
                site.note(
                    site.name,
                    f"{place[1]} at {known.node_id}: {code.name} at {answer.base_offset}",
                )
                if code and code not in _AGAIN:
                    site.tell(site.name, ProducerRefused(site.name, code.name))
                if code:
                    break
                done = batches.pop(0)
                site.tell(site.name, Acknowledged(mark, place, answer.base_offset, done.values))
        except Lost:
            site.note(site.name, f"got no answer of {known.node_id}")
            caller.hang_up()
        if batches:
            # What is still on its way is of no interest: it is all sent again.
            caller.hang_up()
            await self._routing.learn()


class HastyProducer:
    """Takes acks=1 for an answer and never sends again: whoever leads for a moment has what others lack."""

    def __init__(self, site: Site, routing: Routing) -> None:
        self.site = site
        self._routing = routing
        self.is_done = False

    async def run(self) -> None:
        """Send until it `is_done`."""
        site, number = self.site, 0
        while not self.is_done:
            await site.sleep(0.0, 1.0)
            place = site.entropy.one_of(site.places)
            values = drawn_values(site, place, number)
            number += len(values)
            batch = SentBatch.of(site, place, values, _NO_PRODUCER)
            batch.request.acks = 1
            _, caller = await self._routing.leader(place)
            try:
                await caller.ask(batch.request, ProduceResponse, 2.0)
            except Lost:
                caller.hang_up()
            if site.entropy.chance(0.3):
                await self._routing.learn()
