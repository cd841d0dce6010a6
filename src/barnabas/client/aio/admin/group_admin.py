"""The calls of Admin about groups. For asyncio; `client.sync.group_admin` has the same."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import TypeVar

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
from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.cluster.retries import NOT_THERE, persist, what_is_there
from barnabas.client.aio.fetching.group_offsets import GroupOffsets, saved_offsets
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
from barnabas.client.core.arguments.listed import chosen, listed
from barnabas.client.core.arguments.where import Where, offsets_to, partitions_at
from barnabas.client.core.cluster.absence import ALL_THERE
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import TopicPartition

_Result = TypeVar("_Result")
_GROUPS = "['readers']"


class GroupAdmin:
    """What Admin has of groups; all are asked of the broker that coordinates them."""

    _cluster: Cluster

    async def list_groups(
        self,
        *,
        states: Collection[str] = (),
        kinds: Collection[str] = (),
        timeout_s: float | None = None,
    ) -> list[GroupListing]:
        """All groups, or those of some GROUP_STATES and GROUP_KINDS, by name.

        Raises:
            InvalidArgument: there is no such state or kind.
        """
        chosen_states = chosen("list_groups(states=)", "state of a group", states, GROUP_STATES)
        chosen_kinds = chosen("list_groups(kinds=)", "kind of groups", kinds, GROUP_KINDS)
        told = await self._asked(
            timeout_s,
            "listing groups",
            lambda: listed_groups(self._cluster, chosen_states, chosen_kinds),
        )
        return [each for _, each in told.values()]

    async def survey_groups(
        self,
        *,
        states: Collection[str] = (),
        kinds: Collection[str] = (),
        timeout_s: float | None = None,
    ) -> list[GroupDescription]:
        """All groups with their members, or those of some states and kinds: a few requests in all.

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
        """The positions of groups that `survey_groups` told of, by group; share groups have none."""
        known = listed("survey_offsets", groups, GroupDescription, "survey_groups()")
        wanted = [each for each in known if each.kind != SHARE]
        return await self._asked(
            timeout_s, "offsets of groups", lambda: saved_by_groups(self._cluster, wanted)
        )

    async def survey_share_offsets(
        self, groups: Iterable[GroupDescription], *, timeout_s: float | None = None
    ) -> dict[str, dict[TopicPartition, ShareOffset]]:
        """Where those share groups are that `survey_groups` told of, by group; others are left out."""
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
        """The positions that a group has saved, of these partitions or of all.

        Those that an open transaction has saved are waited for; unless `require_stable`, it is told
        what was saved before.

        Raises:
            BrokerError: UNSTABLE_OFFSET_COMMIT, one was not decided in time.
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
            InvalidArgument: an offset is below 0.
            BrokerError: UNKNOWN_MEMBER_ID, it has some; UNKNOWN_TOPIC_OR_PARTITION, a partition is
                not there. Others may be saved all the same.
        """
        wanted = offsets_to("alter_group_offsets", offsets)
        deadline = self._cluster.limits.deadline(timeout_s)
        saved = {where: CommittedOffset(offset) for where, offset in wanted.items()}
        group = GroupOffsets(Coordinator(self._cluster, group_id), by_id=False)
        work = group.commit(saved, deadline, final=NOT_THERE)
        await self._or_what_is_there(wanted, deadline, work)

    async def alter_share_group_offsets(
        self, group_id: str, offsets: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> None:
        """Have a share group without members go on at these offsets; it is made if it is not there.

        Raises:
            InvalidArgument: an offset is below 0.
            BrokerError: NON_EMPTY_GROUP, it has members; GROUP_ID_NOT_FOUND, a group of another kind
                has that name, or it is not there and none of the partitions is;
                UNKNOWN_TOPIC_OR_PARTITION, a partition is not there. Others may be moved all the same.
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
        """Have a share group without members forget where it was in these topics.

        Raises:
            BrokerError: NON_EMPTY_GROUP, it has members; GROUP_ID_NOT_FOUND;
                UNKNOWN_TOPIC_OR_PARTITION, it was in none of that name; also where it was, and the
                answer to a first try was lost. Others may be forgotten all the same.
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
        """Forget saved positions of topics that no member subscribes to.

        Raises:
            BrokerError: GROUP_SUBSCRIBED_TO_TOPIC, one does.
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
            BrokerError: NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND; others may be deleted all the same.
        """
        await self._each("delete_groups", group_ids, timeout_s, deleted)

    async def remove_members(
        self,
        group_id: str,
        instances: Iterable[str] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> None:
        """End the membership of static members by their names; where None are named, of all."""
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
        """Do some work by the deadline; where partitions are not there, say also which are.

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
        """Ask of each group, whatever became of the others; the first error, if any, is raised."""
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

    async def _asked(
        self, timeout_s: float | None, what: str, attempt: Callable[[], Awaitable[_Result]]
    ) -> _Result:
        return await self._asked_by(self._cluster.limits.deadline(timeout_s), what, attempt)

    async def _asked_by(
        self, deadline: Deadline, what: str, attempt: Callable[[], Awaitable[_Result]]
    ) -> _Result:
        return await persist(self._cluster, deadline, what, attempt, final=NOT_THERE)
