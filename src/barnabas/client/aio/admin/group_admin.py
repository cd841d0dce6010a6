"""The calls of Admin about groups. For asyncio; `client.sync.group_admin` has the same."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import TypeVar

from barnabas.client.aio.admin.admin_calls import AdminCalls
from barnabas.client.aio.admin.group_requests import (
    deleted,
    described,
    forgotten,
    listed_groups,
    removed,
)
from barnabas.client.aio.admin.group_survey import saved_by_groups, surveyed_groups
from barnabas.client.aio.admin.share_moves import forgotten_topics, moved_starts
from barnabas.client.aio.admin.share_survey import shared_by_groups
from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.cluster.retries import NOT_THERE
from barnabas.client.aio.cluster.topics import what_is_there
from barnabas.client.aio.fetching.group_offsets import CommittedOffsets, saved_offsets
from barnabas.client.core.admin.group_descriptions import (
    GROUP_KINDS,
    GROUP_STATES,
    SHARE,
    CommittedOffset,
    GroupDescription,
    GroupListing,
    ShareOffset,
)
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.arguments.list_arguments import chosen, listed
from barnabas.client.core.arguments.partition_arguments import Where, offsets_to, partitions_at
from barnabas.client.core.cluster.missing_partitions import ALL_THERE
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import TopicPartition

_Result = TypeVar("_Result")
_GROUPS = "['readers']"


class GroupAdmin(AdminCalls):
    """The calls of Admin about groups; requests go to the groups' coordinators."""

    async def list_groups(
        self,
        *,
        states: Collection[str] = (),
        kinds: Collection[str] = (),
        timeout_s: float | None = None,
    ) -> list[GroupListing]:
        """List all groups, or those in some GROUP_STATES and of some GROUP_KINDS, by name.

        Raises:
            InvalidArgument: there is no such state or kind.
        """
        chosen_states = chosen("list_groups(states=)", "state of a group", states, GROUP_STATES)
        chosen_kinds = chosen("list_groups(kinds=)", "kind of groups", kinds, GROUP_KINDS)
        groups = await self._asked(
            timeout_s,
            "listing groups",
            lambda: listed_groups(self._cluster, chosen_states, chosen_kinds),
        )
        return [each for _, each in groups.values()]

    async def survey_groups(
        self,
        *,
        states: Collection[str] = (),
        kinds: Collection[str] = (),
        timeout_s: float | None = None,
    ) -> list[GroupDescription]:
        """Return all groups with their members, or those of some states and kinds, in a few requests.

        Raises:
            InvalidArgument: there is no such state or kind.
        """
        chosen_states = chosen("survey_groups(states=)", "state of a group", states, GROUP_STATES)
        chosen_kinds = chosen("survey_groups(kinds=)", "kind of groups", kinds, GROUP_KINDS)
        return await self._asked(
            timeout_s,
            "looking at groups",
            lambda: surveyed_groups(self._cluster, chosen_states, chosen_kinds),
        )

    async def survey_offsets(
        self, groups: Iterable[GroupDescription], *, timeout_s: float | None = None
    ) -> dict[str, dict[TopicPartition, CommittedOffset]]:
        """Return the positions of groups from `survey_groups`, by group; share groups have none."""
        known = listed("survey_offsets", groups, GroupDescription, "survey_groups()")
        wanted = [each for each in known if each.kind != SHARE]
        return await self._asked(
            timeout_s, "offsets of groups", lambda: saved_by_groups(self._cluster, wanted)
        )

    async def survey_share_offsets(
        self, groups: Iterable[GroupDescription], *, timeout_s: float | None = None
    ) -> dict[str, dict[TopicPartition, ShareOffset]]:
        """Return the positions of the share groups from `survey_groups`, by group; others are omitted."""
        known = listed("survey_share_offsets", groups, GroupDescription, "survey_groups()")
        wanted = [each for each in known if each.kind == SHARE]
        return await self._asked(
            timeout_s, "offsets of share groups", lambda: shared_by_groups(self._cluster, wanted)
        )

    async def describe_groups(
        self, group_ids: Iterable[str], *, timeout_s: float | None = None
    ) -> dict[str, GroupDescription]:
        """Groups with their members.

        Raises:
            BrokerError: GROUP_ID_NOT_FOUND, one of them does not exist; UNSUPPORTED_VERSION, one is of
                a kind that its broker does not serve.
        """
        return await self._each("describe_groups", group_ids, timeout_s, described)

    async def list_group_offsets(
        self,
        group_id: str,
        partitions: Iterable[Where] | None = None,
        *,
        require_stable: bool = True,
        timeout_s: float | None = None,
    ) -> dict[TopicPartition, CommittedOffset]:
        """Return the positions that a group has saved, for these partitions or all.

        Waits for positions that an open transaction has saved; without `require_stable`, returns
        those saved before it.

        Raises:
            BrokerError: UNSTABLE_OFFSET_COMMIT, a transaction did not end in time.
        """
        wanted = None if partitions is None else partitions_at(partitions)
        coordinator = Coordinator(self._cluster, group_id)
        return await self._asked(
            timeout_s,
            f"offsets of group {group_id}",
            lambda: saved_offsets(coordinator, wanted, stable=require_stable),
        )

    async def alter_group_offsets(
        self, group_id: str, offsets: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> None:
        """Save positions for a group that has no members now.

        Raises:
            InvalidArgument: an offset is negative.
            BrokerError: UNKNOWN_MEMBER_ID, it has members; UNKNOWN_TOPIC_OR_PARTITION, a partition
                does not exist. Others may have been saved.
        """
        wanted = offsets_to("alter_group_offsets", offsets)
        deadline = self._cluster.limits.deadline(timeout_s)
        saved = {where: CommittedOffset(offset) for where, offset in wanted.items()}
        group = CommittedOffsets(Coordinator(self._cluster, group_id), by_id=False)
        work = group.commit(saved, deadline, final=NOT_THERE)
        await self._or_what_is_there(wanted, deadline, work)

    async def alter_share_group_offsets(
        self, group_id: str, offsets: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> None:
        """Move a share group without members to these offsets; create it if it does not exist.

        Raises:
            InvalidArgument: an offset is negative.
            BrokerError: NON_EMPTY_GROUP, it has members; GROUP_ID_NOT_FOUND, a group of another kind
                has that name, or neither it nor any of the partitions exists;
                UNKNOWN_TOPIC_OR_PARTITION, a partition does not exist. Others may have been moved.
        """
        wanted = offsets_to("alter_share_group_offsets", offsets)
        deadline = self._cluster.limits.deadline(timeout_s)
        coordinator = Coordinator(self._cluster, group_id)
        what = f"moving share group {group_id}"
        work = self._asked_by(deadline, what, lambda: moved_starts(coordinator, wanted))
        await self._or_what_is_there(wanted, deadline, work, maybe=ErrorCode.GROUP_ID_NOT_FOUND)

    async def delete_share_group_offsets(
        self, group_id: str, topics: Iterable[str], *, timeout_s: float | None = None
    ) -> None:
        """Delete the positions of a share group without members in these topics.

        Raises:
            BrokerError: NON_EMPTY_GROUP, it has members; GROUP_ID_NOT_FOUND;
                UNKNOWN_TOPIC_OR_PARTITION, it had none in a topic, possibly because a first try
                succeeded and its response was lost. Others may have been deleted.
        """
        gone = listed("delete_share_group_offsets", topics, str, "['flights']")
        coordinator = Coordinator(self._cluster, group_id)
        await self._asked(
            timeout_s,
            f"deleting offsets of share group {group_id}",
            lambda: forgotten_topics(coordinator, gone),
        )

    async def delete_group_offsets(
        self, group_id: str, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> None:
        """Delete saved positions of topics that no member subscribes to.

        Raises:
            BrokerError: GROUP_SUBSCRIBED_TO_TOPIC, a member does.
        """
        gone = partitions_at(partitions)
        coordinator = Coordinator(self._cluster, group_id)
        await self._asked(
            timeout_s, f"deleting offsets of group {group_id}", lambda: forgotten(coordinator, gone)
        )

    async def delete_groups(
        self, group_ids: Iterable[str], *, timeout_s: float | None = None
    ) -> None:
        """Delete groups without members, with all that they saved.

        Raises:
            BrokerError: NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND; others may have been deleted.
        """
        await self._each("delete_groups", group_ids, timeout_s, deleted)

    async def remove_members(
        self,
        group_id: str,
        instances: Iterable[str] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> None:
        """Remove static members by name; None for all members."""
        named = None if instances is None else listed("remove_members", instances, str, "['one']")
        coordinator = Coordinator(self._cluster, group_id)
        await self._asked(
            timeout_s, f"removing members of group {group_id}", lambda: removed(coordinator, named)
        )

    async def _or_what_is_there(
        self,
        wanted: Collection[TopicPartition],
        deadline: Deadline,
        work: Awaitable[None],
        *,
        maybe: ErrorCode | None = None,
    ) -> None:
        """Do `work` by the deadline; if partitions are missing, report which ones exist.

        `maybe`: an error that may have that cause or another one.
        """
        try:
            await work
        except BrokerError as error:
            if error.code not in NOT_THERE and error.code is not maybe:
                raise
            there = await what_is_there(self._cluster, wanted, deadline)
            if error.code is maybe and there == ALL_THERE:
                raise
            raise BrokerError(error.code, f"{error.why}; {there}") from error

    async def _each(
        self,
        call: str,
        group_ids: Iterable[str],
        timeout_s: float | None,
        ask: Callable[[Coordinator], Awaitable[_Result]],
    ) -> dict[str, _Result]:
        """Run one request per group, independently of each other; raise the first error, if any."""
        names = listed(call, group_ids, str, _GROUPS)

        async def one(name: str) -> _Result:
            coordinator = Coordinator(self._cluster, name)
            return await self._asked(timeout_s, f"{call}({name})", lambda: ask(coordinator))

        answers = await asyncio.gather(*map(one, names), return_exceptions=True)
        found = {}
        for name, answer in zip(names, answers, strict=True):
            if isinstance(answer, BaseException):
                raise answer
            found[name] = answer
        return found
