"""A group, a time and the members who talk to it: what each was answered is in `replies`."""

from collections.abc import Callable, Sequence

from barnabas.coordinators.classic_group import joining, leaving, syncing
from barnabas.coordinators.classic_group import rebalance_fast_path as usual
from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.classic_group.replies import Effects, JoinReply, SyncReply
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.classic_group.syncing import Sync
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.errors import ErrorCode
from barnabas.protocol.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from barnabas.protocol.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

SESSION_MS = 10_000
REBALANCE_MS = 60_000
DELAY_MS = 3_000


class Acting:
    """Members are called by their client ids; `ids` has what they were called by the group."""

    def __init__(
        self, *, max_size: int = 1000, group: ClassicGroup | None = None, usual: bool = True
    ) -> None:
        self.now = 0
        self.usual = usual
        """Whether the short ways are tried first."""
        self.short_ways = 0
        self.group = group or ClassicGroup("kennel", GroupSettings(DELAY_MS, max_size))
        self.ids: dict[str, str] = {}
        self.replies: dict[str, JoinReply | SyncReply] = {}
        self.log: list[CoordinatorRecord] = []
        self.written = ErrorCode.NONE
        self.held: list[Callable[[], None]] | None = None
        self._made = 0

    def join(
        self,
        who: str,
        protocols: Sequence[tuple[str, bytes]] = (("range", b"all"),),
        *,
        instance: str | None = None,
        new: bool = False,
        takes_id_first: bool = False,
        skips: bool = True,
        kind: str = "consumer",
        session_ms: int = SESSION_MS,
        rebalance_ms: int = REBALANCE_MS,
    ) -> None:
        self._made += 1
        asked = Join(
            member_id="" if new else self.ids.get(who, ""),
            instance_id=instance,
            new_id=f"{instance or who}-{self._made}",
            new_nameless_id="",
            client_id=who,
            client_host="/127.0.0.1",
            session_timeout_ms=session_ms,
            rebalance_timeout_ms=rebalance_ms,
            protocol_type=kind,
            protocols=tuple(protocols),
            takes_id_first=takes_id_first,
            skips_assignment=skips,
        )
        self.replies.pop(who, None)
        if self.usual and usual.joins_again(self.group, _join_request(asked), who):
            self.short_ways += 1
            if self.group.ends_joins():
                self._carry_out(usual.end_joins(self.group, self.now))
        else:
            self._carry_out(joining.join(self.group, asked, who, self.now))

    def sync(
        self,
        who: str,
        assignments: dict[str, bytes] | None = None,
        *,
        generation: int | None = None,
        instance: str | None = None,
        protocol: str | None = None,
        kind: str | None = None,
    ) -> None:
        named = {self.ids[name]: what for name, what in (assignments or {}).items()}
        present = self.group.generation if generation is None else generation
        asked = Sync(self.ids.get(who, who), instance, present, kind, protocol, named)
        self.replies.pop(who, None)
        request = _sync_request(asked)
        reply = usual.sync_reply(self.group, request, self.now) if self.usual else None
        if reply is not None:
            self.short_ways += 1
            self.replies[who] = reply
        elif self.usual and usual.waits_for_leader(self.group, request, who):
            self.short_ways += 1
        else:
            self._carry_out(syncing.sync(self.group, asked, who, self.now))

    def beat(self, who: str, generation: int | None = None, instance: str | None = None) -> str:
        present = self.group.generation if generation is None else generation
        member_id = self.ids.get(who, who)
        return leaving.heartbeat(self.group, member_id, instance, present, self.now).name

    def leave(self, *leavers: Identity | str) -> list[str]:
        named = [Identity(self.ids[one]) if isinstance(one, str) else one for one in leavers]
        codes, effects = leaving.leave(self.group, named, self.now)
        self._carry_out(effects)
        return [code.name for code in codes]

    def hang_up(self, who: str, member_id: str) -> None:
        """The connection on which a join waits is closed."""
        self._carry_out(leaving.hung_up(self.group, member_id, who, self.now))

    def wait(self, ms: int) -> None:
        """Let time pass, with everything that is due in it."""
        end = self.now + ms
        while (due := self.group.deadline()) is not None and due <= end:
            self.now = max(self.now, due)
            self._carry_out(leaving.on_time(self.group, self.now))
        self.now = end

    def settle(self, *names: str) -> None:
        """Have these join and agree: each is given its own name to do."""
        for name in names:
            self.join(name)
        self.wait(2 * DELAY_MS)
        self.hand_out()

    def hand_out(self) -> None:
        """The members sync; the leader gives each its own name to do."""
        by_id = {self.ids[name]: name for name in self.ids}
        here = [by_id[member_id] for member_id in self.group.members]
        leader = by_id[self.group.leader or ""]
        for name in here:
            if name != leader:
                self.sync(name)
        self.sync(leader, {name: name.encode() for name in here})

    def joined(self, who: str) -> JoinReply:
        reply = self.replies[who]
        assert isinstance(reply, JoinReply)
        return reply

    def assigned(self, who: str) -> SyncReply:
        reply = self.replies[who]
        assert isinstance(reply, SyncReply)
        return reply

    def waits(self, *names: str) -> bool:
        """Whether none of them was answered yet."""
        return not any(name in self.replies for name in names)

    @property
    def state(self) -> GroupState:
        return self.group.state

    def release(self) -> None:
        """Write what was held back."""
        held, self.held = self.held or [], None
        for write in held:
            write()

    def _carry_out(self, effects: Effects) -> None:
        for waiter, reply in effects.answers:
            name = str(waiter)
            self.replies[name] = reply
            if isinstance(reply, JoinReply) and reply.member_id:
                self.ids.setdefault(name, reply.member_id)
                if reply.error is not ErrorCode.FENCED_INSTANCE_ID:
                    self.ids[name] = reply.member_id
        if effects.record is not None:
            record, ticket = effects.record, effects.ticket
            if self.held is None:
                self._write(record, ticket)
            else:
                self.held.append(lambda: self._write(record, ticket))

    def _write(self, record: CoordinatorRecord, ticket: int | None) -> None:
        if not self.written:
            self.log.append(record)
        if ticket is not None:
            self._carry_out(syncing.stored(self.group, ticket, self.written, self.now))


def _join_request(asked: Join) -> JoinGroupRequest:
    """How a client says that."""
    return JoinGroupRequest(
        group_id="kennel",
        session_timeout_ms=asked.session_timeout_ms,
        rebalance_timeout_ms=asked.rebalance_timeout_ms,
        member_id=asked.member_id,
        group_instance_id=asked.instance_id,
        protocol_type=asked.protocol_type,
        protocols=[
            JoinGroupRequestProtocol(name=name, metadata=metadata)
            for name, metadata in asked.protocols
        ],
    )


def _sync_request(asked: Sync) -> SyncGroupRequest:
    return SyncGroupRequest(
        group_id="kennel",
        generation_id=asked.generation,
        member_id=asked.member_id,
        group_instance_id=asked.instance_id,
        protocol_type=asked.protocol_type,
        protocol_name=asked.protocol,
        assignments=[
            SyncGroupRequestAssignment(member_id=name, assignment=what)
            for name, what in asked.assignments.items()
        ],
    )
