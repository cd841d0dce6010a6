"""The calls of Admin about groups, for threads: see `client.aio.admin.group_admin`."""

from collections.abc import Collection, Iterable, Mapping

from barnabas.client.aio.admin.admin import Admin as AsyncAdmin
from barnabas.client.core.admin.group_descriptions import (
    CommittedOffset,
    GroupDescription,
    GroupListing,
    ShareOffset,
)
from barnabas.client.core.arguments.partition_arguments import Where
from barnabas.client.sync.caller_client import CallerClient
from barnabas.types import TopicPartition


class GroupAdmin:
    """The calls of Admin about groups."""

    _hosted: CallerClient[AsyncAdmin]
    _admin: AsyncAdmin

    def list_groups(
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
        work = self._admin.list_groups(states=states, kinds=kinds, timeout_s=timeout_s)
        return self._hosted.run(work)

    def survey_groups(
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
        work = self._admin.survey_groups(states=states, kinds=kinds, timeout_s=timeout_s)
        return self._hosted.run(work)

    def survey_offsets(
        self, groups: Iterable[GroupDescription], *, timeout_s: float | None = None
    ) -> dict[str, dict[TopicPartition, CommittedOffset]]:
        """Return the positions of groups from `survey_groups`, by group; share groups have none."""
        return self._hosted.run(self._admin.survey_offsets(groups, timeout_s=timeout_s))

    def survey_share_offsets(
        self, groups: Iterable[GroupDescription], *, timeout_s: float | None = None
    ) -> dict[str, dict[TopicPartition, ShareOffset]]:
        """Return the positions of the share groups from `survey_groups`, by group; others are omitted."""
        return self._hosted.run(self._admin.survey_share_offsets(groups, timeout_s=timeout_s))

    def describe_groups(
        self, group_ids: Iterable[str], *, timeout_s: float | None = None
    ) -> dict[str, GroupDescription]:
        """Return groups with their members.

        Raises:
            BrokerError: GROUP_ID_NOT_FOUND, one of them does not exist.
        """
        return self._hosted.run(self._admin.describe_groups(group_ids, timeout_s=timeout_s))

    def list_group_offsets(
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
        work = self._admin.list_group_offsets(
            group_id, partitions, require_stable=require_stable, timeout_s=timeout_s
        )
        return self._hosted.run(work)

    def alter_group_offsets(
        self, group_id: str, offsets: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> None:
        """Save positions for a group that has no members now.

        Raises:
            InvalidArgument: an offset is negative.
            BrokerError: UNKNOWN_MEMBER_ID, it has members; UNKNOWN_TOPIC_OR_PARTITION, a partition
                does not exist. Others may have been saved.
        """
        work = self._admin.alter_group_offsets(group_id, offsets, timeout_s=timeout_s)
        self._hosted.run(work)

    def delete_group_offsets(
        self, group_id: str, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> None:
        """Delete saved positions of topics that no member subscribes to.

        Raises:
            BrokerError: GROUP_SUBSCRIBED_TO_TOPIC, a member does.
        """
        work = self._admin.delete_group_offsets(group_id, partitions, timeout_s=timeout_s)
        self._hosted.run(work)

    def alter_share_group_offsets(
        self, group_id: str, offsets: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> None:
        """Move a share group without members to these offsets; create it if it does not exist.

        Raises:
            InvalidArgument: an offset is negative.
            BrokerError: NON_EMPTY_GROUP, it has members; GROUP_ID_NOT_FOUND, a group of another kind
                has that name, or neither it nor any of the partitions exists;
                UNKNOWN_TOPIC_OR_PARTITION, a partition does not exist. Others may have been moved.
        """
        work = self._admin.alter_share_group_offsets(group_id, offsets, timeout_s=timeout_s)
        self._hosted.run(work)

    def delete_share_group_offsets(
        self, group_id: str, topics: Iterable[str], *, timeout_s: float | None = None
    ) -> None:
        """Delete the positions of a share group without members in these topics.

        Raises:
            BrokerError: NON_EMPTY_GROUP, it has members; GROUP_ID_NOT_FOUND;
                UNKNOWN_TOPIC_OR_PARTITION, it had none in a topic, possibly because a first try
                succeeded and its response was lost. Others may have been deleted.
        """
        work = self._admin.delete_share_group_offsets(group_id, topics, timeout_s=timeout_s)
        self._hosted.run(work)

    def delete_groups(self, group_ids: Iterable[str], *, timeout_s: float | None = None) -> None:
        """Delete groups without members, with all that they saved.

        Raises:
            BrokerError: NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND; others may have been deleted.
        """
        self._hosted.run(self._admin.delete_groups(group_ids, timeout_s=timeout_s))

    def remove_members(
        self,
        group_id: str,
        instances: Iterable[str] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> None:
        """Remove static members by name; None for all members."""
        work = self._admin.remove_members(group_id, instances, timeout_s=timeout_s)
        self._hosted.run(work)
