"""A follower's fetch: what it commits may be written on, and belongs into the same answer."""

from types import SimpleNamespace
from typing import cast

import pytest

from barnabas.broker.apis import fetch
from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.replicas.fetch_rows import Fetched
from barnabas.protocol.fetch import FetchRequest, PartitionData, ReplicaState
from tests.unit.broker.in_memory import asked


class Replicas:
    """A partition that is empty; another one is written while the follower's progress is counted."""

    def __init__(self, *, writes_on: bool) -> None:
        self.writes = 0
        self._writes_on = writes_on
        self._written = b""

    def read(self, reads: object, max_bytes: int, read_one: object) -> list[Fetched]:
        del reads, max_bytes, read_one
        found = self._written
        if self._writes_on and not self.writes:
            self.writes += 1
            self._written = b"a batch"
        data = PartitionData(
            partition_index=0, error_code=0, high_watermark=0, last_stable_offset=0, records=found
        )
        return [Fetched("dogs", bytes(16), data)]

    @staticmethod
    def keys_of(_reads: object) -> list[object]:
        return []


@pytest.mark.parametrize("writes_on", [True, False])
def test_a_followers_fetch_does_not_wait_for_what_was_written_while_it_was_read(
    *, writes_on: bool
) -> None:
    parked: list[Pending] = []
    plan = SimpleNamespace(reads=[], answer=lambda fetched: [one.data.records for one in fetched])
    broker = SimpleNamespace(
        clock=None,
        fetch_sessions=SimpleNamespace(begin=lambda *_, **__: plan),
        config=SimpleNamespace(fetch_max_bytes=1000),
        quotas=SimpleNamespace(in_force=False),
        member=SimpleNamespace(throttles=SimpleNamespace(leader=None)),
        replicas=Replicas(writes_on=writes_on),
        purgatory=SimpleNamespace(
            park=lambda _one, _keys, _seconds, pending, **_: parked.append(pending)
        ),
    )
    request = FetchRequest(
        replica_state=ReplicaState(replica_id=2), max_wait_ms=500, min_bytes=1, topics=[]
    )
    answer = fetch.handle(cast("Broker", broker), asked(15), request)
    if writes_on:
        assert cast("list[bytes]", answer) == [b"a batch"]
    else:
        assert parked == [answer]
