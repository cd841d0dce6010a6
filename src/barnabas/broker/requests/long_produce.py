"""Produce whose records begin hundreds of segments: it is handled in steps, and other requests in between.

What is left of its records is copied, as the records of a request are views of what its connection
receives into.
"""

from collections.abc import Callable, Generator, Mapping

from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.latch import Latch
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.replicas.append_errors import refused
from barnabas.errors import ErrorCode
from barnabas.protocol.produce import PartitionProduceResponse, ProduceRequest, ProduceResponse

Appending = Generator[int, Mapping[int, PartitionProduceResponse] | None, ProduceResponse]
"""As `ReplicaManager.append` returns it."""
Finish = Callable[[ProduceResponse], ProduceResponse | Pending]
"""What is done with the response when all is appended."""


def append_in_steps(
    broker: Broker, request: ProduceRequest, appending: Appending, first: int, finish: Finish
) -> ProduceResponse | Pending:
    """Append the rest, from the record set `first` on; what `finish` returns, or a Pending of that.

    Where `client.state.max.bytes` has no room for the copy the rest is refused, and the client tries again.
    So it is with records of a transaction, which may end between two steps.
    """
    size = keep_records(request, first)
    refusals: Mapping[int, PartitionProduceResponse] | None = None
    if request.transactional_id is not None or not broker.client_memory.fits(size):
        size, refusals = 0, _refused_from(request, first)
    broker.client_memory.passing_bytes += size
    return broker.stepping.run(_rest(broker, request, appending, refusals, size, finish))


def _rest(
    broker: Broker,
    request: ProduceRequest,
    appending: Appending,
    refusals: Mapping[int, PartitionProduceResponse] | None,
    size: int,
    finish: Finish,
) -> Steps[ProduceResponse]:
    yield  # The event writes first what came before.
    try:
        response = yield from _appended(appending, refusals)
    finally:
        broker.client_memory.passing_bytes -= size
    broker.replicas.write()
    yield _committed(broker, request)
    outcome = finish(response)
    if not isinstance(outcome, Pending):
        return outcome
    replied: ProduceResponse = yield outcome
    return replied


def _appended(
    appending: Appending, refusals: Mapping[int, PartitionProduceResponse] | None
) -> Steps[ProduceResponse]:
    try:
        appending.send(refusals)
        while True:
            yield
            next(appending)
    except StopIteration as end:
        response: ProduceResponse = end.value
        return response


def _committed(broker: Broker, request: ProduceRequest) -> Pending:
    """Done when all that is written counts: with `flush.messages`, when it is on stable storage."""
    pending = Pending()
    waiting = [one for one in broker.replicas.partitions_of(request) if not one.is_committed]
    if broker.member is not None or not waiting:
        # The replicas in sync are waited for by `finish`, as far as the request wants that.
        pending.complete(None)
        return pending
    latch = Latch(len(waiting), lambda: pending.complete(None))
    for partition in waiting:
        partition.when_committed(latch.arrive)
    return pending


def keep_records(request: ProduceRequest, first: int = 0) -> int:
    """Copy the records of a request from one place on, which are views of its frame; returns their bytes.

    Those before are let go.
    """
    size = number = 0
    for topic in request.topic_data:
        for one in topic.partition_data:
            if number < first:
                one.records = None
            elif isinstance(one.records, memoryview):
                one.records = memoryview(bytearray(one.records))
                size += len(one.records)
            number += 1
    return size


def _refused_from(request: ProduceRequest, first: int) -> dict[int, PartitionProduceResponse]:
    every = [one for topic in request.topic_data for one in topic.partition_data]
    for one in every:
        one.records = None
    return {
        number: refused(every[number].index, ErrorCode.NOT_ENOUGH_REPLICAS)
        for number in range(first, len(every))
    }
