"""ShareMembership: heartbeats of a member of a share group, and which partitions it is to read (KIP-932)."""

from barnabas.errors import ErrorCode
from barnabas.log.file_names import uuid_text
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from barnabas.protocol.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from sim.events import Place
from sim.scenario import SHARE_SESSION_MS
from sim.world.caller import Caller
from sim.world.site import Site
from sim.world.topic_ids import TopicIds

_JOINS, _LEAVES = 0, -1
_GROUP_RESOURCE, _SET = 32, 0
_NEW_START = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH})


class ShareMembership:
    """One life's. All raise `Lost`."""

    def __init__(self, site: Site, group: str) -> None:
        self._site = site
        self.group = group
        self.caller: Caller = site.caller()
        self.ids = TopicIds(self.caller)
        self.member_id = uuid_text(site.entropy.uuid())
        self.epoch = _JOINS
        self.places: tuple[Place, ...] = ()
        self._says_all = True
        """It does where an answer was lost, as it does not know what was in it."""
        self.sure_until = 0.0
        """Until when it surely is a member."""

    async def prepare(self) -> bool:
        """Have the group begin with the first record there is; whether that is so."""
        await self.ids.learn()
        reset = AlterableConfig(
            name="share.auto.offset.reset", config_operation=_SET, value="earliest"
        )
        resource = AlterConfigsResource(
            resource_type=_GROUP_RESOURCE, resource_name=self.group, configs=[reset]
        )
        request = IncrementalAlterConfigsRequest(resources=[resource], validate_only=False)
        answer = await self.caller.ask(request, IncrementalAlterConfigsResponse)
        return not answer.responses[0].error_code

    async def beat(self) -> bool:
        """Join, or say that it is there; whether it is a member."""
        asked_at = self._site.process.loop.now()
        says_all, self._says_all = self._says_all or self.epoch == _JOINS, True
        topics = sorted({topic for topic, _ in self._site.places})
        answer = await self.caller.ask(
            ShareGroupHeartbeatRequest(
                group_id=self.group,
                member_id=self.member_id,
                member_epoch=self.epoch,
                subscribed_topic_names=topics if says_all else None,
            ),
            ShareGroupHeartbeatResponse,
        )
        self._says_all = False
        code = ErrorCode.of(answer.error_code)
        assigned = answer.assignment
        self._site.note(
            self._site.name,
            f"beats {self.epoch}: {code.name} {answer.member_epoch}",
        )
        if not code:
            self.epoch = answer.member_epoch
            self.sure_until = asked_at + SHARE_SESSION_MS / 1000
            if assigned is not None:
                self.places = tuple(
                    (self.ids.name_of(bytes(one.topic_id)), index)
                    for one in assigned.topic_partitions
                    for index in sorted(one.partitions)
                )
            return True
        gone = code is ErrorCode.GROUP_ID_NOT_FOUND and self._site.may_lose()
        if gone or code in _NEW_START:
            self.epoch, self.places = _JOINS, ()
        else:
            assert code.retriable, f"{self._site.name} got {code.name}"
        return False

    async def leave(self) -> None:
        """Go."""
        request = ShareGroupHeartbeatRequest(
            group_id=self.group, member_id=self.member_id, member_epoch=_LEAVES
        )
        answer = await self.caller.ask(request, ShareGroupHeartbeatResponse)
        self._site.note(self._site.name, f"leaves: {ErrorCode.of(answer.error_code).name}")
