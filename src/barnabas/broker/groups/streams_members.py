"""StreamsMembers: heartbeats of streams groups (KIP-1071), and their deadlines."""

from collections.abc import Callable

from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.broker.groups.group_timers import GroupTimers
from barnabas.broker.groups.idle_heartbeats import IdleHeartbeat
from barnabas.broker.groups.policies import Policies
from barnabas.coordinators.common.shard import bytes_of
from barnabas.coordinators.consumer_group.member import JOINS
from barnabas.coordinators.group_growth import grown_by_heartbeat, grown_by_tasks
from barnabas.coordinators.known_groups import GroupKind
from barnabas.coordinators.streams_group.groups import deadline, loaded
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat, StreamsHeartbeatReply
from barnabas.coordinators.streams_group.settings import StreamsSettings
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Timers


class StreamsMembers:
    """The members of streams groups. For one thread."""

    def __init__(
        self, shards: GroupShards, timers: Timers, policies: Policies[StreamsSettings]
    ) -> None:
        self._shards = shards
        self._policies = policies
        self._alarms = GroupTimers(shards, timers, self._on_alarm)

    def beat(
        self,
        asked: StreamsHeartbeat,
        respond: Callable[[StreamsHeartbeatReply | BrokerError], object],
    ) -> object:
        """Join a streams group, stay in it or leave it."""
        group_id, now = asked.group_id, self._shards.now_ms()
        try:
            held = self._of(group_id)
            grown = grown_by_tasks(held.shard, asked)
            if asked.epoch == JOINS or asked.describes_itself:
                grown += grown_by_heartbeat(held.shard, asked)
            self._shards.memory.admit(group_id, grown, "member of a streams group")
            result = held.shard.streams.heartbeat(
                asked, held.shard.group(group_id), self._policies.of(group_id), now
            )
        except BrokerError as error:
            return respond(error)
        answer = self._shards.keep(held, result, respond)
        if result.records:
            self._shards.memory.changed(group_id, bytes_of(result.records))
        self._set_alarm(held, group_id)
        return answer

    def idle(self, asked: StreamsHeartbeat) -> IdleHeartbeat[StreamsHeartbeat, StreamsSettings]:
        """What does the same as `beat` while nothing happens."""
        return IdleHeartbeat(
            self._shards,
            self._policies,
            asked,
            lambda shard, *member: shard.streams.extends(*member),
        )

    def _of(self, group_id: str) -> Held:
        held = self._shards.of(group_id)
        if held.shard.kind_of(group_id) in {GroupKind.CONSUMER, GroupKind.SHARE}:
            raise BrokerError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a streams group."
            )
        return held

    def begin(self, held: Held) -> None:
        """The sessions of loaded members begin."""
        for group in held.shard.streams.all():
            loaded(group, self._policies.of(group.group_id), self._shards.now_ms())
            self._shards.memory.changed(group.group_id)
            self._set_alarm(held, group.group_id)

    def _on_alarm(self, held: Held, group_id: str) -> bool:
        group = held.shard.streams.get(group_id)
        if group is None:
            return True
        settings = self._policies.of(group_id)
        result = held.shard.streams.on_time(group, settings, self._shards.now_ms())
        if not self._shards.keep_if_it_fits(held, result):
            return False
        self._shards.memory.changed(group_id, bytes_of(result.records))
        self._set_alarm(held, group_id)
        return True

    def _set_alarm(self, held: Held, group_id: str) -> None:
        group = held.shard.streams.get(group_id)
        self._alarms.set(held, group_id, None if group is None else deadline(group))
