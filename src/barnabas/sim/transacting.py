"""SimTransactor: a transactional producer that commits some transactions, aborts some, and dies amid others."""

from collections.abc import Callable
from typing import TypeVar

from barnabas.errors import ErrorCode
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.end_txn import EndTxnRequest, EndTxnResponse
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.protocol.produce import ProduceResponse
from barnabas.sim.caller import Lost
from barnabas.sim.events import Acknowledged, Place, ProducerRefused, TransactionEnded
from barnabas.sim.sent_batch import SentBatch
from barnabas.sim.site import Site

_T = TypeVar("_T")
TIMEOUT_MS = 15_000
_OWN_EPOCHS = 5
"""The first version of EndTxn after which a producer goes on under another epoch (KIP-890)."""
_MOST_PLACES, _MOST_BATCHES = 3, 3


class _Refused(Exception):
    """The transaction is over for this producer, whatever became of it."""


class SimTransactor:
    """One life of a producer under a lasting `name`; what it sends is counted in `numbers`."""

    def __init__(self, site: Site, numbers: dict[Place, int], rounds: list[int]) -> None:
        """`numbers` and `rounds` (one number: those that are left) outlive it."""
        self._site = site
        self._caller = site.caller()
        self._numbers = numbers
        self._rounds = rounds
        self._producer = (-1, -1)
        self._sequences: dict[Place, int] = {}

    async def run(self) -> None:
        """Do transactions until none are left."""
        await self._begin()
        while self._rounds[0]:
            await self._site.sleep(0.0, 1.5)
            sent: dict[Place, list[bytes]] = {}
            outcome: bool | None = False
            wish = self._site.entropy.chance(0.7)
            mark = self._site.mark()
            # Should it die from here on, who comes after it finds out nothing of this one.
            open_ = TransactionEnded(mark, self._site.name, sent, committed=False)
            self._site.tell(self._site.name, open_)
            try:
                await self._send_some(sent)
                outcome = None
                if wish:
                    # From here on it may be committed, if nobody says what became of it.
                    unknown = TransactionEnded(mark, self._site.name, sent, committed=None)
                    self._site.tell(self._site.name, unknown)
                await self._end(commit=wish)
                outcome = wish
            except _Refused as refused:
                self._site.note(self._site.name, f"gives up: {refused}")
                outcome = outcome if wish else False
                await self._begin()
            ended = TransactionEnded(mark, self._site.name, sent, committed=outcome)
            self._site.tell(self._site.name, ended)
            self._rounds[0] -= 1
        self._caller.hang_up()
        self._site.note(self._site.name, "is done")

    async def _begin(self) -> None:
        """Get an id and an epoch; who had them before is fenced, its open transaction aborted."""
        request = InitProducerIdRequest(
            transactional_id=self._site.name, transaction_timeout_ms=TIMEOUT_MS
        )
        while True:
            try:
                answer = await self._ask(
                    request, InitProducerIdResponse, lambda one: one.error_code
                )
            except _Refused:
                await self._site.sleep(0.1, 0.5)
                continue
            break
        self._producer = answer.producer_id, answer.producer_epoch
        self._sequences.clear()
        self._site.note(self._site.name, f"is producer {self._producer}")

    async def _send_some(self, sent: dict[Place, list[bytes]]) -> None:
        site = self._site
        for _ in range(1 + site.entropy.below(_MOST_PLACES)):
            place = site.entropy.one_of(site.places)
            if place not in sent:
                sent[place] = []
                await self._add(place)
            for _ in range(1 + site.entropy.below(_MOST_BATCHES)):
                await site.stall()
                await self._send(place, sent[place])

    async def _add(self, place: Place) -> None:
        if self._caller.versions[ApiKey.END_TXN] >= _OWN_EPOCHS:
            return  # What is produced adds its partition.
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self._site.name,
            v3_and_below_producer_id=self._producer[0],
            v3_and_below_producer_epoch=self._producer[1],
            v3_and_below_topics=[AddPartitionsToTxnTopic(name=place[0], partitions=[place[1]])],
        )

        def code(answer: AddPartitionsToTxnResponse) -> int:
            (topic,) = answer.results_by_topic_v3_and_below
            return topic.results_by_partition[0].partition_error_code

        await self._ask(request, AddPartitionsToTxnResponse, code)

    async def _send(self, place: Place, sent: list[bytes]) -> None:
        site = self._site
        first = self._numbers.get(place, 0)
        sequence = self._sequences.get(place, 0)
        batch = SentBatch.drawn(site, place, first, (*self._producer, sequence), site.name)
        self._numbers[place] = first + len(batch.values)
        self._sequences[place] = sequence + len(batch.values)
        sent += batch.values
        mark = site.mark()
        answer = await self._ask(
            batch.request,
            ProduceResponse,
            lambda one: one.responses[0].partition_responses[0].error_code,
        )
        base = answer.responses[0].partition_responses[0].base_offset
        site.tell(site.name, Acknowledged(mark, place, base, batch.values))

    async def _end(self, *, commit: bool) -> None:
        producer_id, epoch = self._producer
        request = EndTxnRequest(
            transactional_id=self._site.name,
            producer_id=producer_id,
            producer_epoch=epoch,
            committed=commit,
        )
        answer = await self._ask(request, EndTxnResponse, lambda one: one.error_code)
        if self._caller.versions[ApiKey.END_TXN] >= _OWN_EPOCHS:
            self._producer = answer.producer_id, answer.producer_epoch
            self._sequences.clear()

    async def _ask(self, request: object, kind: type[_T], code_of: Callable[[_T], int]) -> _T:
        """Until there is an answer that stays.

        Raises:
            _Refused: it is an error.
        """
        while True:
            try:
                answer = await self._caller.ask(request, kind)
            except Lost:
                self._site.note(self._site.name, "lost its connection")
                await self._site.sleep(0.05, 0.8)
                continue
            code = ErrorCode.of(code_of(answer))
            self._site.note(self._site.name, f"{kind.__name__}: {code.name}")
            if not code:
                return answer
            if code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
                self._site.tell(self._site.name, ProducerRefused(self._site.name, code.name))
            if not code.retriable:
                raise _Refused(code.name)
            await self._site.sleep(0.05, 0.5)
