"""SimTransaction: a transactional producer's conversation: its id, what takes part, how it ends."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from barnabas.errors import ErrorCode
from barnabas.protocol.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.end_txn import EndTxnRequest, EndTxnResponse
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.protocol.produce import ProduceResponse
from barnabas.protocol.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
)
from sim.clients.sent_batch import SentBatch
from sim.events import Place, ProducerRefused
from sim.groups.membership import Membership
from sim.world.caller import Caller, Lost
from sim.world.site import Site

_T = TypeVar("_T")
TIMEOUT_MS = 15_000
_OWN_EPOCHS = 5
"""The first version of EndTxn after which a producer goes on under another epoch (KIP-890)."""


class Refused(Exception):
    """The transaction is over for this producer, whatever became of it."""


class SimTransaction:
    """One life of a producer under the lasting name of its site. All raise `Refused`."""

    patience_seconds = 10.0
    retried: frozenset[ErrorCode] = frozenset()
    """What it asks again after, beside errors that say so themselves."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._caller = site.caller()
        self._producer = (-1, -1)
        self._sequences: dict[Place, int] = {}

    @property
    def _adds_by_itself(self) -> bool:
        """What is produced, and the positions that are sent, take part by that."""
        return self._caller.versions[ApiKey.END_TXN] >= _OWN_EPOCHS

    async def begin(self) -> None:
        """Get an id and an epoch; who had them before is fenced, its open transaction aborted."""
        request = InitProducerIdRequest(
            transactional_id=self._site.name, transaction_timeout_ms=TIMEOUT_MS
        )
        while True:
            try:
                answer = await self._ask(
                    request, InitProducerIdResponse, lambda one: one.error_code
                )
            except Refused:
                await self._site.sleep(0.1, 0.5)
                continue
            break
        self._producer = answer.producer_id, answer.producer_epoch
        self._sequences.clear()
        self._site.note(self._site.name, f"is producer {self._producer}")

    async def add(self, place: Place) -> None:
        """Let a partition take part."""
        if self._adds_by_itself:
            return
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

    async def send(self, place: Place, values: tuple[bytes, ...]) -> int:
        """Send records; the offset of the first."""
        sequence = self._sequences.get(place, 0)
        producer = *self._producer, sequence
        batch = SentBatch.of(self._site, place, values, producer, self._site.name)
        self._sequences[place] = sequence + len(values)
        answer = await self._ask(
            batch.request,
            ProduceResponse,
            lambda one: one.responses[0].partition_responses[0].error_code,
        )
        return answer.responses[0].partition_responses[0].base_offset

    async def commit_offsets(self, member: Membership, positions: Mapping[Place, int]) -> None:
        """Have a group's positions count if this commits; the member must be one (KIP-447)."""
        producer_id, epoch = self._producer
        if not self._adds_by_itself:
            await self._ask(
                AddOffsetsToTxnRequest(
                    transactional_id=self._site.name,
                    producer_id=producer_id,
                    producer_epoch=epoch,
                    group_id=member.group,
                ),
                AddOffsetsToTxnResponse,
                lambda one: one.error_code,
            )
        request = TxnOffsetCommitRequest(
            transactional_id=self._site.name,
            group_id=member.group,
            producer_id=producer_id,
            producer_epoch=epoch,
            generation_id_or_member_epoch=member.generation,
            member_id=member.member_id,
            group_instance_id=member.instance,
            topics=[
                TxnOffsetCommitRequestTopic(
                    name=topic,
                    partitions=[
                        TxnOffsetCommitRequestPartition(
                            partition_index=index, committed_offset=offset, committed_metadata=""
                        )
                    ],
                )
                for (topic, index), offset in positions.items()
            ],
        )
        await self._ask(
            request,
            TxnOffsetCommitResponse,
            lambda one: max(part.error_code for topic in one.topics for part in topic.partitions),
        )

    async def end(self, *, commit: bool) -> None:
        """Commit or abort."""
        producer_id, epoch = self._producer
        request = EndTxnRequest(
            transactional_id=self._site.name,
            producer_id=producer_id,
            producer_epoch=epoch,
            committed=commit,
        )
        answer = await self._ask(request, EndTxnResponse, lambda one: one.error_code)
        if self._adds_by_itself:
            self._producer = answer.producer_id, answer.producer_epoch
            self._sequences.clear()

    def hang_up(self) -> None:
        """Be done."""
        self._caller.hang_up()

    async def caller_of(self, request: object) -> Caller:
        """The connection for a request; may raise `Lost`."""
        del request
        return self._caller

    async def look_again(self, request: object) -> None:
        """A request has no answer that stays: another broker may be the one to ask."""

    async def _ask(self, request: object, kind: type[_T], code_of: Callable[[_T], int]) -> _T:
        """Until there is an answer that stays.

        Raises:
            Refused: it is an error.
        """
        while True:
            try:
                caller = await self.caller_of(request)
                answer = await caller.ask(request, kind, self.patience_seconds)
            except Lost:
                self._site.note(self._site.name, "lost its connection")
                await self._site.sleep(0.05, 0.8)
                await self.look_again(request)
                continue
            code = ErrorCode.of(code_of(answer))
            self._site.note(self._site.name, f"{kind.__name__}: {code.name}")
            if not code:
                return answer
            if code not in self.retried:
                if code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
                    self._site.tell(self._site.name, ProducerRefused(self._site.name, code.name))
                if not code.retriable:
                    raise Refused(code.name)
            await self._site.sleep(0.05, 0.5)
            await self.look_again(request)
