"""ShareMembers: heartbeats of share groups, and their deadlines."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.broker.groups.group_timers import GroupTimers
from barnabas.broker.groups.idle_heartbeats import IdleHeartbeat
from barnabas.broker.groups.policies import Policies
from barnabas.broker.shares.policies import SharePolicy
from barnabas.coordinators.common.shard import bytes_of
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.consumer_group.heartbeats import HeartbeatReply
from barnabas.coordinators.consumer_group.member import JOINS
from barnabas.coordinators.group_growth import grown_by_heartbeat
from barnabas.coordinators.known_groups import GroupKind
from barnabas.coordinators.share_group.groups import ShareHeartbeat, loaded
from barnabas.coordinators.share_state.states import StateKey
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Timers

if TYPE_CHECKING:
    from barnabas.broker.shares.routed_states import RoutedStates


class ShareMembers:
    """The members of share groups. For one thread."""

    def __init__(
        self,
        shards: GroupShards,
        timers: Timers,
        policies: Policies[SharePolicy],
        states: "RoutedStates | None",
    ) -> None:
        """`states`: the share states of a cluster, which other brokers may keep; None: of this broker."""
        self._shards = shards
        self._policies = policies
        self._states = states
        self._alarms = GroupTimers(shards, timers, self._on_alarm)

    def beat(
        self, asked: ShareHeartbeat, respond: Callable[[HeartbeatReply | BrokerError], object]
    ) -> object:
        """Handle a heartbeat, which joins a share group, remains in it or leaves it."""
        group_id, now = asked.group_id, self._shards.now_ms()
        settings = self._policies.of(group_id).settings
        try:
            held = self._of(group_id)
            if asked.epoch == JOINS or asked.topics or asked.rack_id:
                grown = grown_by_heartbeat(held.shard, asked)
                self._shards.memory.admit(group_id, grown, "member of a share group")
            read = self._read(held, group_id)
            result = held.shard.share.heartbeat(asked, settings, now)
        except BrokerError as error:
            return respond(error)
        answer = self._shards.keep(held, result, respond)
        if result.records:
            self._shards.memory.changed(group_id, bytes_of(result.records))
            self._begin_states(group_id, self._read(held, group_id) - read)
        self._set_alarm(held, group_id)
        return answer

    @staticmethod
    def _read(held: Held, group_id: str) -> frozenset[TopicIdPartition]:
        group = held.shard.share.get(group_id)
        return frozenset() if group is None else group.read

    def _begin_states(self, group_id: str, places: Iterable[TopicIdPartition]) -> None:
        """In a cluster the group coordinator initializes the states, which partition leaders then read."""
        if self._states is not None:
            for place in places:
                self._states.begin_missing(StateKey(group_id, place))

    def idle(self, asked: ShareHeartbeat) -> IdleHeartbeat[ShareHeartbeat, SharePolicy]:
        """Return what answers this heartbeat like `beat`, as long as the group does not change."""
        return IdleHeartbeat(
            self._shards,
            self._policies,
            asked,
            lambda shard, beat, policy, now: shard.share.extends(beat, policy.settings, now),
        )

    def _of(self, group_id: str) -> Held:
        held = self._shards.of(group_id)
        if held.shard.kind_of(group_id) not in {None, GroupKind.SHARE}:
            raise BrokerError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a share group."
            )
        return held

    def begin(self, held: Held) -> None:
        """Begin the sessions of the members of a loaded shard."""
        for group in held.shard.share.all():
            settings = self._policies.of(group.group_id).settings
            loaded(group, settings, self._shards.now_ms())
            self._shards.memory.changed(group.group_id)
            self._set_alarm(held, group.group_id)
            # The previous coordinator may not have initialized all of them.
            self._begin_states(group.group_id, group.read)

    def _on_alarm(self, held: Held, group_id: str) -> bool:
        group = held.shard.share.get(group_id)
        if group is None:
            return True
        result = held.shard.share.on_time(group, self._shards.now_ms())
        if not self._shards.keep_if_it_fits(held, result):
            return False
        self._shards.memory.changed(group_id, bytes_of(result.records))
        self._set_alarm(held, group_id)
        return True

    def _set_alarm(self, held: Held, group_id: str) -> None:
        group = held.shard.share.get(group_id)
        due = None if group is None else held.shard.share.deadline(group)
        self._alarms.set(held, group_id, due)
