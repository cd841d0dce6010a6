"""GroupMembers: requests of group members, for any type of group.

A consumer group takes heartbeats of its own kind and the requests of classic members; everything else
is for the classic groups. Carries out what consumer groups decide, and has their alarms.
"""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from barnabas.broker.groups.classic_membership import GroupMembership
from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.broker.groups.group_timers import GroupTimers
from barnabas.broker.groups.idle_heartbeats import IdleHeartbeat
from barnabas.broker.groups.policies import Policies
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Stepping, Steps
from barnabas.broker.shards.record_names import check_kept
from barnabas.broker.shards.shards import TOO_LARGE
from barnabas.coordinators.classic_group import leaving
from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.classic_group.replies import JoinReply, SyncReply
from barnabas.coordinators.classic_group.syncing import Sync
from barnabas.coordinators.common.shard import Replayed, bytes_of
from barnabas.coordinators.consumer_group.groups import not_found
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat, HeartbeatReply
from barnabas.coordinators.consumer_group.member import JOINS
from barnabas.coordinators.consumer_group.regexes import LongWork
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.coordinators.group_growth import grown_by_heartbeat, grown_by_join
from barnabas.coordinators.known_groups import GroupKind
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Timers
from barnabas.protocol.join_group import JoinGroupRequest
from barnabas.protocol.sync_group import SyncGroupRequest

log = logging.getLogger(__name__)

_Reply = TypeVar("_Reply")


class GroupMembers:
    """The members of all groups. For one thread. All may raise BrokerError."""

    def __init__(
        self,
        shards: GroupShards,
        timers: Timers,
        stepping: Stepping,
        policies: Policies[ConsumerSettings],
        classic: GroupMembership,
    ) -> None:
        self._shards = shards
        self._stepping = stepping
        self._policies = policies
        self._classic = classic
        self._alarms = GroupTimers(shards, timers, self._on_alarm)

    def beat(
        self, asked: ConsumerHeartbeat, respond: Callable[[HeartbeatReply | BrokerError], object]
    ) -> object:
        """Join a consumer group, stay in it or leave it.

        Where an expression takes long, it is matched in steps, and others are served between them.
        """
        try:
            held = self._shards.of(asked.group_id)
        except BrokerError as error:
            return respond(error)
        work = held.shard.consumer.long_work(asked)
        if work is None:
            return self._beat(held, asked, respond)
        # A client that disconnected may have connected again meanwhile, with a newer request.
        return self._stepping.run(
            self._beat_in_steps(work, asked, respond), ends_when_disconnected=True
        )

    def idle(self, asked: ConsumerHeartbeat) -> IdleHeartbeat[ConsumerHeartbeat, ConsumerSettings]:
        """What does the same as `beat` while nothing happens."""
        return IdleHeartbeat(
            self._shards,
            self._policies,
            asked,
            lambda shard, *member: shard.consumer.extends(*member),
        )

    def _beat_in_steps(
        self,
        work: LongWork,
        asked: ConsumerHeartbeat,
        respond: Callable[[HeartbeatReply | BrokerError], object],
    ) -> Steps[object]:
        """What the expressions have learned is kept with `work`, until it is used."""
        yield from work.steps()
        return self._beat(None, asked, respond)

    def _beat(
        self,
        held: Held | None,
        asked: ConsumerHeartbeat,
        respond: Callable[[HeartbeatReply | BrokerError], object],
    ) -> object:
        now, group_id = self._shards.now_ms(), asked.group_id
        try:
            held = held or self._shards.of(group_id)
            if held.shard.kind_of(group_id) in {GroupKind.SHARE, GroupKind.STREAMS}:
                raise not_found(group_id)
            if asked.epoch == JOINS or not asked.is_bare:
                grown = grown_by_heartbeat(held.shard, asked)
                self._shards.memory.admit(group_id, grown, "member of a consumer group")
            classic = held.shard.group(group_id)
            result = held.shard.consumer.heartbeat(asked, classic, now)
        except BrokerError as error:
            return respond(error)
        if not result.records:
            # Its session may be shorter than it was.
            self._set_alarm(held, group_id)
            return self._shards.keep(held, result, respond)
        return self._keep(held, group_id, result, respond, was=classic)

    def join_again(
        self, asked: JoinGroupRequest, respond: Callable[[JoinReply], object]
    ) -> Pending | None:
        """As `join`, for a member that repeats its last request; None: the request differs."""
        held = self._shards.find(asked.group_id)
        classic = None if held is None else held.shard.group(asked.group_id)
        if held is None or classic is None:
            return None
        return self._classic.join_again(held, classic, asked, respond)

    def join(self, group_id: str, asked: Join, respond: Callable[[JoinReply], object]) -> object:
        """Become a member with JoinGroup; gives `respond`'s answer when the group has agreed."""
        held = self._shards.find(group_id)
        # Only the leader's sync would find out, amid a rebalance.
        names = [name for name, _ in asked.protocols]
        check_kept(group_id, asked.instance_id, asked.new_id, asked.protocol_type, *names)
        group = None if held is None else held.shard.consumer.get(group_id)
        if held is None or group is None:
            refused = ErrorCode.NONE if held is None else self._refusal(held, group_id)
            if refused:
                return respond(JoinReply(refused, ""))
            return self._classic.join(held, group_id, asked, respond)
        now = self._shards.now_ms()
        if not group.members:
            # The first member of an empty group decides its kind.
            if not self._shards.keep_if_it_fits(held, held.shard.consumer.delete(group)):
                return respond(JoinReply(TOO_LARGE, ""))
            return self._classic.join(held, group_id, asked, respond)
        self._shards.memory.admit(
            group_id, grown_by_join(group_id, None, asked), "member of a group"
        )
        result = held.shard.consumer.classic_join(group, asked, now)
        return self._keep(
            held, group_id, result, lambda reply: respond(_joined(reply)), rebalance=False
        )

    def sync_as_usual(
        self, asked: SyncGroupRequest, respond: Callable[[SyncReply], object]
    ) -> object | None:
        """As `sync`, if the assignments are known, or a follower waits for them; None: anything else."""
        held = self._shards.find(asked.group_id)
        classic = None if held is None else held.shard.group(asked.group_id)
        return None if classic is None else self._classic.sync_as_usual(classic, asked, respond)

    def sync(self, group_id: str, asked: Sync, respond: Callable[[SyncReply], object]) -> object:
        """Ask what to do; gives `respond`'s answer when that is known."""
        held = self._shards.find(group_id)
        if held is not None:
            classic = held.shard.group(group_id)
            if classic is not None:
                return self._classic.sync(held, classic, asked, respond)
            group = held.shard.consumer.get(group_id)
            if group is not None:
                now = self._shards.now_ms()
                return respond(held.shard.consumer.classic_sync(group, asked, now))
        return respond(SyncReply(ErrorCode.UNKNOWN_MEMBER_ID))

    def heartbeat(
        self, group_id: str, member_id: str, instance_id: str | None, generation: int
    ) -> ErrorCode:
        """A member that joined with JoinGroup is alive; while its group is loaded, nobody doubts it."""
        try:
            held = self._shards.find(group_id)
        except BrokerError as error:
            if error.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
                return ErrorCode.NONE
            raise
        if held is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        now = self._shards.now_ms()
        classic = held.shard.group(group_id)
        if classic is not None:
            # Its session only grows, so that its group's alarm stays as it is.
            return leaving.heartbeat(classic, member_id, instance_id, generation, now)
        group = held.shard.consumer.get(group_id)
        if group is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        who = Identity(member_id, instance_id)
        code = held.shard.consumer.classic_heartbeat(group, who, generation, now)
        if code:
            self._set_alarm(held, group_id)
        return code

    def leave(
        self,
        group_id: str,
        leavers: Sequence[Identity],
        respond: Callable[[list[ErrorCode] | BrokerError], object],
    ) -> object:
        """Take members out; the codes are in their order."""
        held = self._shards.find(group_id)
        group = None if held is None else held.shard.consumer.get(group_id)
        if held is None or group is None:
            return respond(self._classic.leave(held, group_id, leavers))
        result = held.shard.consumer.leave(group, leavers, self._shards.now_ms())
        return self._keep(held, group_id, result, respond)

    def stop(self) -> None:
        """Respond to all waiting requests that this broker is not the coordinator any more."""
        self._classic.stop()

    def _refusal(self, held: Held, group_id: str) -> ErrorCode:
        """Why JoinGroup has no place in a group; a streams group without members gives way."""
        streams = held.shard.streams.get(group_id)
        if held.shard.share.get(group_id) is not None or (streams and streams.members):
            return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
        if streams is None or self._shards.keep_if_it_fits(
            held, held.shard.streams.delete(streams)
        ):
            return ErrorCode.NONE
        return TOO_LARGE

    def begin(self, held: Held) -> None:
        """The sessions of loaded members begin."""
        self._classic.begin(held)
        for group in held.shard.consumer.all():
            held.shard.consumer.loaded(group, self._shards.now_ms())
            self._shards.memory.changed(group.group_id)
            self._set_alarm(held, group.group_id)

    def _on_alarm(self, held: Held, group_id: str) -> bool:
        group = held.shard.consumer.get(group_id)
        if group is None:
            return True
        result = held.shard.consumer.on_time(group, self._shards.now_ms())
        if not self._shards.keep_if_it_fits(held, result):
            return False
        self._shards.memory.changed(group_id, bytes_of(result.records))
        self._look_at_kind(held, group_id, None, rebalance=True)
        self._set_alarm(held, group_id)
        return True

    def _keep(
        self,
        held: Held,
        group_id: str,
        result: Replayed[_Reply],
        respond: Callable[[_Reply | BrokerError], object],
        *,
        was: ClassicGroup | None = None,
        rebalance: bool = True,
    ) -> object:
        """Write what a request came to; gives the answer when it is written.

        `was`: the classic group that it was before, if it was one.
        """
        answer = self._shards.keep(held, result, respond)
        self._shards.memory.changed(group_id, bytes_of(result.records))
        # Only now: where it is refused at once, the group is of the kind that it was.
        self._look_at_kind(held, group_id, was, rebalance=rebalance)
        self._set_alarm(held, group_id)
        return answer

    def _look_at_kind(
        self, held: Held, group_id: str, was: ClassicGroup | None, *, rebalance: bool
    ) -> None:
        classic = held.shard.group(group_id)
        if was is not None and classic is None:
            log.info("classic group is a consumer group now", extra={"group": group_id})
            self._classic.upgraded(held, was)
        elif was is None and classic is not None:
            log.info("consumer group is a classic one now", extra={"group": group_id})
            self._classic.downgraded(held, classic, rebalance=rebalance)

    def _set_alarm(self, held: Held, group_id: str) -> None:
        group = held.shard.consumer.get(group_id)
        due = None if group is None else held.shard.consumer.deadline(group)
        self._alarms.set(held, group_id, due)


def _joined(reply: JoinReply | BrokerError) -> JoinReply:
    return JoinReply(reply.code, "") if isinstance(reply, BrokerError) else reply
