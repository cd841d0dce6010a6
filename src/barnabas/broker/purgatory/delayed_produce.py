"""DelayedProduce: a Produce with acks=n that waits for replicas that do not exist."""

from collections.abc import Callable, Hashable, Iterable

from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.errors import ErrorCode
from barnabas.protocol.produce import ProduceRequest, ProduceResponse


class DelayedProduce:
    """Appends that wait for more replicas than exist, until one of two cases.

    Case A: a partition it waits for is gone,
    Case B: its time is over.
    """

    __slots__ = ("_on_finish",)

    def __init__(self, on_finish: Callable[[], None]) -> None:
        self._on_finish = on_finish

    def happened(self, key: Hashable, amount: int) -> bool:
        """Whether the partition `key` is gone (`amount` is negative)."""
        del key
        return amount < 0  # Case A.

    def finish(self, *, is_late: bool) -> bool:
        """Respond."""
        del is_late
        self._on_finish()
        return True


def wait_for_replicas(
    purgatory: Purgatory,
    partitions: Iterable[Hashable],
    request: ProduceRequest,
    response: ProduceResponse,
) -> Pending:
    """Respond when the request has timed out, or one of its partitions is gone.

    The request's records are released: they are views of the connection's receive buffer.
    """
    pending = Pending()
    for topic in request.topic_data:
        for one in topic.partition_data:
            one.records = None
    condition = DelayedProduce(lambda: pending.complete(_out_of_time(response)))
    purgatory.park(condition, partitions, max(request.timeout_ms, 0) / 1000, pending)
    return pending


def all_failed(response: ProduceResponse) -> bool:
    """Whether nothing was appended."""
    return all(one.error_code for topic in response.responses for one in topic.partition_responses)


def _out_of_time(response: ProduceResponse) -> ProduceResponse:
    """Turn the successful appends into errors, because the replicas did not confirm them in time."""
    for topic in response.responses:
        for one in topic.partition_responses:
            one.error_code = one.error_code or ErrorCode.REQUEST_TIMED_OUT
    return response
