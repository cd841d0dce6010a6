"""Transactions of version 2 (KIP-890): our own producer's, as librdkafka makes those of version 1."""

import random
from itertools import count

from barnabas import Producer
from barnabas.errors import AbortableError, KafkaError
from tests.chaos.clients import LISTS, Client
from tests.chaos.history import History, Outcome, Transaction, Value

_PACE_SECONDS = 0.05
_PATIENT_MS = 60_000


class OurTransactionalWriter(Client):
    """Appends to some lists at once; one transaction in six is aborted."""

    def __init__(self, name: str, history: History, servers: str, partitions: int) -> None:
        super().__init__(name, history)
        self._servers = servers
        self._partitions = partitions
        self._chance = random.Random(name)
        self._numbers = count()
        self._transactions = count()

    def run(self) -> None:
        while not self.stopping.is_set():
            try:
                with Producer(
                    bootstrap_servers=self._servers,
                    client_id=self.name,
                    transactional_id=self.name,
                    transaction_timeout_ms=20_000,
                    max_block_ms=_PATIENT_MS,
                    delivery_timeout_ms=_PATIENT_MS,
                ) as producer:
                    producer.init_transactions()
                    while not self.stopping.is_set():
                        self._attempt(producer)
                        self.stopping.wait(_PACE_SECONDS)
            except KafkaError:
                # It was open for too long, for example: the next producer ends what this one has left.
                continue

    def _attempt(self, producer: Producer) -> None:
        """Make one transaction. Raises KafkaError: this producer can make no other one."""
        one = Transaction(f"{self.name}:{next(self._transactions)}")
        one.outcome = Outcome.ABORTED
        self.history.transactions.append(one)
        try:
            producer.begin_transaction()
            self._send(producer, one)
            if self._chance.random() >= 1 / 6:
                one.outcome = Outcome.UNKNOWN
                producer.commit_transaction()
                one.outcome = Outcome.COMMITTED
                return
            producer.flush()
        except AbortableError:
            # Also where the commit did not begin.
            one.outcome = Outcome.ABORTED
        producer.abort_transaction()

    def _send(self, producer: Producer, one: Transaction) -> None:
        indexes = range(self._partitions)
        for partition in self._chance.sample(indexes, self._chance.randint(1, self._partitions)):
            for _ in range(self._chance.randint(1, 3)):
                value = str(Value(self.name, next(self._numbers)))
                one.appended.setdefault((LISTS, partition), []).append(value)
                producer.send(LISTS, value.encode(), partition=partition)
