"""ConsumerMembership: one member's way through a consumer group: heartbeats, and what they bring (KIP-848)."""

from collections.abc import Sequence

from barnabas.errors import ErrorCode
from barnabas.log.file_names import uuid_text
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from sim.events import Place
from sim.groups.group_kind import GroupKind
from sim.groups.membership import GiveBack, Membership
from sim.scenario import CONSUMER_SESSION_MS
from sim.world.caller import Caller
from sim.world.site import Site
from sim.world.topic_ids import TopicIds

_JOINS, _LEAVES, _LEAVES_FOR_A_WHILE = 0, -1, -2
_OWN_IDS = 1
"""The first version in which members make their ids, and can subscribe by expression."""


class ConsumerMembership(Membership):
    """A member that gives back one partition and keeps the others."""

    NEW_START = frozenset(
        {
            ErrorCode.UNKNOWN_MEMBER_ID,
            ErrorCode.FENCED_MEMBER_EPOCH,
            ErrorCode.ILLEGAL_GENERATION,
        }
    )
    LATER = frozenset({ErrorCode.UNRELEASED_INSTANCE_ID, ErrorCode.STALE_MEMBER_EPOCH})
    is_consumer = True

    def __init__(
        self, site: Site, caller: Caller, group: str, kind: GroupKind, instance: str | None
    ) -> None:
        super().__init__(site, caller, group, kind, instance)
        entropy = site.entropy
        self._assignor = entropy.one_of((None, "uniform", "range"))
        self._topics = sorted({topic for topic, _ in site.places})
        knows_more = caller.versions[ApiKey.CONSUMER_GROUP_HEARTBEAT] >= _OWN_IDS
        self._makes_id = knows_more
        self._by_regex = knows_more and entropy.chance(0.3)
        self._ids = TopicIds(caller)
        self._says_all = True
        """It does where an answer was lost, as it does not know what has come of it.

        And after a power cut that lost something: the broker may have sent it an epoch that was
        never on disk, send others the same, and take its silence for consent.
        """
        self._has_changed = False
        self._sure_since = 0.0
        """When it asked what was answered last and left it nothing to give back."""

    async def join(self) -> None:
        """See `Membership`."""
        self.began()
        if not self.member_id and self._makes_id:
            self.member_id = uuid_text(self.site.entropy.uuid())
        await self._ids.learn()
        self._says_all, self._has_changed = True, False
        self.generation = _JOINS
        mark, asked_at = self.site.mark(), self.site.process.loop.now()
        answer = await self._ask(self._request(_JOINS, ()))
        if answer is not None:
            self.member_id = answer.member_id or self.member_id
            self.generation = answer.member_epoch
            assert answer.assignment is not None, "the response to a join has everything"
            self.took(mark, self._places(answer.assignment.topic_partitions))
            self._sure_since = asked_at
            self._tell_holds(mark)

    async def heartbeat(self, give_back: GiveBack) -> None:
        """See `Membership`."""
        assert self.places is not None, "it has joined"
        mark, asked_at = self.site.mark(), self.site.process.loop.now()
        request = self._request(self.generation, self.places)
        answer = await self._ask(request)
        if answer is None:
            return
        before = wanted = self.places
        self.generation = answer.member_epoch
        if answer.assignment is not None:
            wanted = self._places(answer.assignment.topic_partitions)
        self._has_changed = set(wanted) != set(before)
        self.took(mark, wanted)
        surplus = tuple(place for place in before if place not in wanted)
        if surplus:
            await give_back(surplus)
        else:
            self._sure_since = asked_at
        if self.places is not None:
            self._tell_holds(mark)

    async def leave(self) -> None:
        """See `Membership`."""
        owned = self.places or ()
        self.began()
        epoch = _LEAVES if self.instance is None else _LEAVES_FOR_A_WHILE
        if self.member_id and self.generation > 0:
            await self._ask(self._request(epoch, owned))
        self.member_id = ""

    def _tell_holds(self, mark: int) -> None:
        least_ms = min(CONSUMER_SESSION_MS, self.rebalance_ms)
        self.holds(mark, self._sure_since + least_ms / 1000)

    async def _ask(
        self, request: ConsumerGroupHeartbeatRequest
    ) -> ConsumerGroupHeartbeatResponse | None:
        """The answer; None: it was an error, and is taken to heart."""
        self._says_all = True
        answer = await self.caller.ask(request, ConsumerGroupHeartbeatResponse)
        self._says_all = False
        code = ErrorCode.of(answer.error_code)
        count = None if answer.assignment is None else len(answer.assignment.topic_partitions)
        self.site.note(
            self.site.name,
            f"beats {request.member_epoch}: {code.name} {answer.member_epoch} of {count} topics",
        )
        self.refused(code)
        return None if code else answer

    def _request(self, epoch: int, owned: Sequence[Place]) -> ConsumerGroupHeartbeatRequest:
        says_all = self._says_all or self.may_be_forgotten or epoch == _JOINS
        says_owned = says_all or self._has_changed
        by_regex = says_all and self._by_regex
        return ConsumerGroupHeartbeatRequest(
            group_id=self.group,
            member_id=self.member_id,
            member_epoch=epoch,
            instance_id=self.instance,
            rebalance_timeout_ms=self.rebalance_ms if says_all else -1,
            subscribed_topic_names=self._topics if says_all and not by_regex else None,
            subscribed_topic_regex="|".join(self._topics) if by_regex else None,
            server_assignor=self._assignor if says_all else None,
            topic_partitions=[
                TopicPartitions(topic_id=self._ids.of(topic), partitions=[index])
                for topic, index in owned
            ]
            if says_owned
            else None,
        )

    def _places(self, topics: Sequence[TopicPartitions]) -> tuple[Place, ...]:
        return tuple(
            (self._ids.name_of(bytes(one.topic_id)), index)
            for one in topics
            for index in sorted(one.partitions)
        )
