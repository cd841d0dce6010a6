"""SimClerk: keeps positions in groups that nobody is in, and has positions or whole groups forgotten."""

from dataclasses import dataclass, field

from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from barnabas.protocol.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchResponse,
)
from sim.events import Place, Remembered
from sim.world.caller import Caller, Lost
from sim.world.site import Site

_SPOKEN = {
    ApiKey.OFFSET_COMMIT: 8,
    ApiKey.OFFSET_DELETE: 0,
    ApiKey.DELETE_GROUPS: 2,
    ApiKey.OFFSET_FETCH: 7,
}
_GROUPS = 3
_MOST_AT_ONCE = 1_000
"""Above each position that it keeps."""
_UNSURE = ErrorCode.UNKNOWN_SERVER_ERROR


@dataclass(slots=True)
class _Group:
    """One of its groups. Where an answer is lost, another one of another name takes its place."""

    name: str
    kept: dict[Place, int] = field(default_factory=dict)


class SimClerk:
    """One change after the other, each of one of a few groups, which is then asked what it has."""

    def __init__(self, site: Site, rounds: int) -> None:
        self._site = site
        site.versions |= _SPOKEN
        self._left = rounds
        self._begun = 0
        self._groups = [self._begin() for _ in range(_GROUPS)]

    @property
    def is_done(self) -> bool:
        """Whether it has done all that it was to do."""
        return not self._left

    def _begin(self) -> _Group:
        self._begun += 1
        return _Group(f"{self._site.name}-{self._begun}")

    async def run(self) -> None:
        """Do all."""
        site = self._site
        caller = site.caller()
        while self._left:
            await site.sleep(0.1, 2.0)
            self._left -= 1
            number = site.entropy.below(_GROUPS)
            group = self._groups[number]
            try:
                code = await self._change(caller, group) or await self._compare(caller, group)
            except Lost:
                code = _UNSURE
            if code:
                site.note(site.name, f"is not sure of {group.name}: {code.name}")
                self._groups[number] = self._begin()
        caller.hang_up()

    async def _change(self, caller: Caller, group: _Group) -> ErrorCode:
        entropy = self._site.entropy
        place = entropy.one_of(self._site.places)
        kinds = (self._commit, self._commit, self._commit, self._forget, self._forget, self._delete)
        return await entropy.one_of(kinds)(caller, group, place)

    async def _commit(self, caller: Caller, group: _Group, place: Place) -> ErrorCode:
        offset = self._site.entropy.below(_MOST_AT_ONCE)
        kept = OffsetCommitRequestPartition(
            partition_index=place[1], committed_offset=offset, committed_metadata=""
        )
        request = OffsetCommitRequest(
            group_id=group.name,
            generation_id_or_member_epoch=-1,
            member_id="",
            topics=[OffsetCommitRequestTopic(name=place[0], partitions=[kept])],
        )
        answer = await caller.ask(request, OffsetCommitResponse)
        group.kept[place] = offset
        return ErrorCode.of(answer.topics[0].partitions[0].error_code)

    async def _forget(self, caller: Caller, group: _Group, place: Place) -> ErrorCode:
        gone = OffsetDeleteRequestPartition(partition_index=place[1])
        topic = OffsetDeleteRequestTopic(name=place[0], partitions=[gone])
        request = OffsetDeleteRequest(group_id=group.name, topics=[topic])
        answer = await caller.ask(request, OffsetDeleteResponse)
        group.kept.pop(place, None)
        if answer.error_code == ErrorCode.GROUP_ID_NOT_FOUND:
            return ErrorCode.NONE
        partitions = [one for each in answer.topics for one in each.partitions]
        codes = (answer.error_code, *(one.error_code for one in partitions))
        return ErrorCode.of(next(filter(None, codes), ErrorCode.NONE))

    async def _delete(self, caller: Caller, group: _Group, _place: Place) -> ErrorCode:
        request = DeleteGroupsRequest(groups_names=[group.name])
        answer = await caller.ask(request, DeleteGroupsResponse)
        code = ErrorCode.of(answer.results[0].error_code)
        group.kept.clear()
        return ErrorCode.NONE if code is ErrorCode.GROUP_ID_NOT_FOUND else code

    async def _compare(self, caller: Caller, group: _Group) -> ErrorCode:
        answer = await caller.ask(OffsetFetchRequest(group_id=group.name), OffsetFetchResponse)
        code = ErrorCode.of(answer.error_code)
        if not code:
            found = {
                (topic.name, one.partition_index): one.committed_offset
                for topic in answer.topics
                for one in topic.partitions
            }
            self._site.tell(self._site.name, Remembered(group.name, dict(group.kept), found))
        return code
