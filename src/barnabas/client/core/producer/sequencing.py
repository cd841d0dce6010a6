"""The sent batches of one partition: which of them may be stored, and which goes out next. No I/O.

A broker takes a batch of an idempotent producer only with the next sequence of its epoch, or with
sequence 0 of a higher epoch. A batch that it remembers it calls stored again. It remembers the last
five of a producer; a Kafka that has recovered only the last one. So OUT_OF_ORDER_SEQUENCE_NUMBER for
a batch in doubt does not say that it is not stored. It is surely not stored when the broker has
refused it and every batch in doubt behind it: the last one stored would have been known. Only then
do batches get new numbers, under the next epoch; before that each goes out under its old number.

| a batch is | stored | open: no answer, or none that says | rejected before the append | out of order |
|---|---|---|---|---|
| fresh: surely not stored | done | in doubt | fresh | fresh; refused if it is the first |
| in doubt: may be stored | done | in doubt | in doubt | stored if a later one is; else refused |

| event | what follows for the others |
|---|---|
| a batch is stored | those before it that are refused and in doubt are stored, too |
| it is the first one left | there is no gap |
| it is a part of a batch in doubt | the whole was not stored: the other parts are fresh |
| the first one is refused, or a batch is given up | there is a gap |
| a batch in doubt is given up, or split | those before it that are then refused are lost: in doubt for ever |
| an answer is open; a connection or leader changes | what was refused has to be asked for again |
| there is a gap, and all in doubt are refused | a new epoch: all are fresh |

Without answers from one broker in a row refusals prove nothing: hence the last but one row. A broker
that knows nothing of a producer takes any sequence (KIP-360), so while it may know nothing, batches
go out one at a time, or one that was rejected could be overtaken by the next.

Source: KIP-98, KIP-360; Kafka's ProducerStateManager (snapshots keep one batch of each producer).
"""

from typing import Final

from barnabas.client.core.producer.idempotence import add_sequence
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.records.batches.batch import stamp_producer

NO_PRODUCER_ID: Final = -1
_REMEMBERED_S: Final = 60.0
"""For so long after an answer a broker surely knows the producer (`producer.id.expiration.ms`)."""
_NEVER: Final = float("-inf")
_NO_NUMBER: Final = (0,)


class Sequencing:
    """The batches that were sent and have no outcome, in their order, and their numbers.

    With `renews` the epochs are the producer's own: idempotent, and no transactions. Else there is
    never a gap here: of transactions the coordinator decides, and without numbers nothing is known.
    """

    __slots__ = (
        "_newest_stored",
        "_next_sequence",
        "_renews",
        "_stored_at",
        "_unasked",
        "batches",
        "epoch",
        "gap",
        "producer_id",
    )

    def __init__(self, *, renews: bool) -> None:
        self._renews = renews
        self.batches: list[ProducerBatch] = []
        self.producer_id = NO_PRODUCER_ID
        self.epoch = -1
        self.gap = False
        self._next_sequence = 0
        self._newest_stored: tuple[int, ...] = _NO_NUMBER
        self._unasked: tuple[int, ...] = _NO_NUMBER
        self._stored_at = _NEVER

    @property
    def asks(self) -> bool:
        """Whether a batch in doubt has to go out under its old number before a new epoch."""
        return any(batch.in_doubt and not batch.refused for batch in self.batches)

    @property
    def ends_epoch(self) -> bool:
        """Whether all that is left needs new numbers. Asked while nothing is in flight."""
        return self.gap and not self.asks

    def is_known(self, now: float) -> bool:
        """Whether the broker knows the producer, so that no batch can overtake another one."""
        return not self._renews or now - self._stored_at < _REMEMBERED_S

    def head(self) -> ProducerBatch:
        """The batch that goes out next. Asked while there is one that is not in flight."""
        if self.gap and self.asks:
            return next(batch for batch in self.batches if not batch.refused)
        return self.batches[0]

    def begin(self, producer_id: int, epoch: int) -> None:
        """Number everything again. Nothing is in flight."""
        self.producer_id, self.epoch = producer_id, epoch
        self.gap = False
        self._next_sequence = 0
        self._newest_stored = self._unasked = _NO_NUMBER
        self._stored_at = _NEVER
        for batch in self.batches:
            batch.in_doubt = batch.refused = False
            self._number(batch)

    def add(self, batch: ProducerBatch) -> None:
        """A new batch is sent."""
        self.batches.append(batch)
        if self.producer_id != NO_PRODUCER_ID:
            self._number(batch)

    def stored(self, batch: ProducerBatch, now: float) -> list[ProducerBatch]:
        """The broker has it; returns those before it that are therefore stored, too."""
        proven = []
        if self._renews:
            number = batch.number
            self._stored_at = now
            self._newest_stored = max(self._newest_stored, number)
            for other in self.batches:
                if other.number < number and other.refused and other.in_doubt:
                    proven.append(other)
                elif other.number > number and other.number[0] == number[0] == self._unasked[0]:
                    other.in_doubt = False
            if number > self._unasked:
                self._unasked = _NO_NUMBER
        for each in (*proven, batch):
            self.settled(each)
        return proven

    def settled(self, batch: ProducerBatch) -> None:
        """It is stored, as a later one is."""
        self.batches.remove(batch)
        if self.gap:
            self.gap = any(other.number < self._newest_stored for other in self.batches)

    def left_open(self, batch: ProducerBatch) -> None:
        """The broker may have it."""
        batch.in_doubt = True
        self.disturbed()

    def out_of_order(self, batch: ProducerBatch) -> None:
        """The broker does not want it now, nor does it remember it."""
        first = all(other.refused or other.number >= batch.number for other in self.batches)
        if self._renews and first and not self.is_surely_stored(batch):
            batch.refused = self.gap = True

    def is_surely_stored(self, batch: ProducerBatch) -> bool:
        """Whether a batch in doubt is stored, as a later one of its epoch is."""
        return batch.in_doubt and batch.number < self._newest_stored

    def given_up(self, batch: ProducerBatch) -> None:
        """It is never sent again: its numbers may be missing from now on."""
        self.batches.remove(batch)
        self._never_asked(batch)
        self.gap = self.gap or (self._renews and batch.number > self._newest_stored)

    def lost(self) -> list[ProducerBatch]:
        """Those that may be stored for ever. Asked while nothing is in flight."""
        if not self.ends_epoch:
            return []
        last = self._unasked[0]
        return [batch for batch in self.batches if batch.in_doubt and batch.number[0] <= last]

    def disturbed(self) -> None:
        """Another broker may answer, or the same one after a restart."""
        self._stored_at = _NEVER
        for batch in self.batches:
            batch.refused = False

    def split(self, batch: ProducerBatch, parts: list[ProducerBatch]) -> None:
        """Smaller ones take its place and its numbers. A broker that has it knows none of them."""
        at = self.batches.index(batch)
        self.batches[at : at + 1] = parts
        self._never_asked(batch)
        for part in parts:
            part.in_doubt = batch.in_doubt
        if self.producer_id != NO_PRODUCER_ID:
            after, self._next_sequence = self._next_sequence, batch.sequence
            for part in parts:
                self._number(part)
            self._next_sequence = after

    def _never_asked(self, batch: ProducerBatch) -> None:
        """Nobody will know if it was the last one stored, so nor of those before it."""
        if batch.in_doubt:
            self._unasked = max(self._unasked, batch.number)

    def _number(self, batch: ProducerBatch) -> None:
        batch.epoch, batch.sequence = self.epoch, self._next_sequence
        self._next_sequence = add_sequence(self._next_sequence, batch.count)
        if batch.payload is not None:  # It was built before it had its place in the line.
            stamp_producer(batch.payload, self.producer_id, batch.epoch, batch.sequence)
