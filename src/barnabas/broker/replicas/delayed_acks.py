"""DelayedAcks: produce requests with acks=all that wait for the replicas in sync."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from barnabas.broker.purgatory.pending import Pending, Unreplicated
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.replicas.leader_role import LeaderRole
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.errors import ErrorCode
from barnabas.protocol.produce import PartitionProduceResponse, ProduceRequest, ProduceResponse
from barnabas.replication.acknowledgement import ALL


class _Append(NamedTuple):
    """What was appended for one partition, and waits until its replicas have all before `end`."""

    answer: PartitionProduceResponse
    role: LeaderRole
    end: int


class DelayedAcks:
    """Appends that wait for acks, and the four cases in which one waits no longer.

    Case A: enough replicas have it,
    Case B: it failed on this broker's disk,
    Case C: this broker does not lead the partition any more, or too few replicas are in sync,
    Case D: the time of the request is over.
    """

    __slots__ = ("_acks", "_appends", "_on_finish")

    def __init__(self, acks: int, appends: list[_Append], on_finish: Callable[[], None]) -> None:
        self._acks = acks
        self._appends = appends
        self._on_finish = on_finish

    def happened(self, key: Hashable, amount: int) -> bool:
        """Replicas of a partition came further, or its ISR is another one."""
        del key, amount
        return True

    def finish(self, *, is_late: bool) -> bool:
        """Answer if no append waits."""
        self._appends = [one for one in self._appends if self._waits(one, is_late=is_late)]
        if self._appends:
            return False
        self._on_finish()
        return True

    def _waits(self, append: _Append, *, is_late: bool) -> bool:
        if append.answer.error_code:
            return False  # Case B.
        code = append.role.acknowledgement(self._acks, append.end)
        if code is None and not is_late:
            return True
        append.answer.error_code = ErrorCode.REQUEST_TIMED_OUT if code is None else code
        return False


class DelayedRepeats:
    """As `DelayedAcks`, of requests with acks=all for one partition that came one after the other.

    Each is answered as soon as the replicas in sync have what it appended: an append before another one
    waits no longer than that.
    """

    __slots__ = ("_appends", "_respond", "_role")

    def __init__(
        self,
        role: LeaderRole,
        appends: Iterable[tuple[Unreplicated, int]],
        respond: Callable[[int, ErrorCode], bytes],
    ) -> None:
        """`appends`: each reply, and where its append ends; `respond` makes that of the given number."""
        self._role = role
        self._appends = deque((number, *one) for number, one in enumerate(appends))
        self._respond = respond

    def happened(self, key: Hashable, amount: int) -> bool:
        """Replicas of the partition came further, or its ISR is another one."""
        del key, amount
        return True

    def finish(self, *, is_late: bool) -> bool:
        """Answer those that wait no longer; whether none does."""
        answered: list[tuple[Unreplicated, bytes]] = []
        while self._appends:
            number, pending, end = self._appends[0]
            code = self._role.acknowledgement(ALL, end)
            if code is None:
                if not is_late:
                    break
                code = ErrorCode.REQUEST_TIMED_OUT
            self._appends.popleft()
            answered.append((pending, self._respond(number, code)))
        # The connection waits for the first of them, and sends with it all that are there by then.
        for pending, response in reversed(answered):
            pending.complete(response)
        return not self._appends


def wait_for_acks(
    replicas: ReplicaManager,
    purgatory: Purgatory,
    request: ProduceRequest,
    response: ProduceResponse,
) -> ProduceResponse | Pending:
    """Give the response when as many replicas as `acks` says have what was queued.

    At once where no partition has replicas elsewhere: then it counts with the write. The records are let
    go, as they are views of what the connection receives into.
    """
    appends = [
        _Append(answer, partition.role, partition.log.end_offset)
        for topic in response.responses
        for answer in topic.partition_responses
        if not answer.error_code
        and (partition := replicas.find_requested(topic.name, topic.topic_id, answer.index))
        is not None
        and isinstance(partition.role, LeaderRole)
        and not partition.commits_when_written
    ]
    if not appends:
        return response
    for topic in request.topic_data:
        for one in topic.partition_data:
            one.records = None
    pending = Unreplicated()
    condition = DelayedAcks(request.acks, appends, lambda: pending.complete(response))
    if condition.finish(is_late=False):
        # A batch that was sent again may have been committed before: nothing more happens to it.
        return response
    keys = {append.role for append in appends}
    purgatory.park(condition, keys, max(request.timeout_ms, 0) / 1000, pending)
    return pending
