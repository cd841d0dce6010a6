"""IdleHeartbeat: a heartbeat that only extends its member's session.

Whether something has happened, to the member or to its group, is for the groups of its kind to decide
(`extends`), as for any heartbeat. Left out is what is around that: to read the request and to make its
response.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from barnabas.broker.groups.group_shards import GroupShards
from barnabas.broker.groups.policies import Policies
from barnabas.errors import BrokerError

if TYPE_CHECKING:
    from barnabas.coordinators.groups_shard import GroupShard

PolicyT = TypeVar("PolicyT")


class _Asked(Protocol):
    @property
    def group_id(self) -> str: ...


AskedT = TypeVar("AskedT", bound=_Asked)


class _HeartbeatResponse(Protocol):
    @property
    def error_code(self) -> int: ...

    @property
    def member_epoch(self) -> int: ...

    @property
    def assignment(self) -> object: ...


def is_no_news(kind: type[_HeartbeatResponse], member_epoch: int, outcome: object) -> bool:
    """Whether a member has its response, of this kind, and was only confirmed in its epoch."""
    return (
        isinstance(outcome, kind)
        and not outcome.error_code
        and outcome.assignment is None
        and outcome.member_epoch == member_epoch
    )


class IdleHeartbeat(Generic[AskedT, PolicyT]):
    """One heartbeat that was answered just now, to be repeated."""

    __slots__ = ("_asked", "_extends", "_policies", "_policy", "_shards")

    def __init__(
        self,
        shards: GroupShards,
        policies: Policies[PolicyT],
        asked: AskedT,
        extends: Callable[["GroupShard", AskedT, PolicyT, int], bool],
    ) -> None:
        """`extends` takes the group's shard, the heartbeat, the group's policy and the time."""
        self._shards = shards
        self._policies = policies
        self._policy = policies.of(asked.group_id)
        self._asked = asked
        self._extends = extends

    def again(self) -> bool:
        """Extend the session; False: something has happened, or records have to be written before."""
        shards, asked, policy = self._shards, self._asked, self._policy
        # Another policy may have another interval, which the response tells.
        if self._policies.of(asked.group_id) is not policy:
            return False
        try:
            held = shards.find(asked.group_id)
        except BrokerError:
            return False
        return (
            held is not None
            and shards.replicas.is_written(held.partition)
            and self._extends(held.shard, asked, policy, shards.now_ms())
        )
