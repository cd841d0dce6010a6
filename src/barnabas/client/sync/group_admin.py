"""The calls of Admin about groups, for plain threads: those of `client.aio.admin.group_admin`."""

from collections.abc import Collection, Iterable, Mapping

from barnabas.client.aio.admin.admin import Admin as AsyncAdmin
from barnabas.client.core.admin.group_descriptions import (
    CommittedOffset,
    GroupDescription,
    GroupListing,
    ShareOffset,
)
from barnabas.client.core.arguments.where import Where
from barnabas.client.sync.hosted import Hosted
from barnabas.types import TopicPartition


class GroupAdmin:
    """What Admin has of groups."""

    _hosted: Hosted[AsyncAdmin]
    _admin: AsyncAdmin

    def list_groups(
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
        work = self._admin.list_groups(states=states, kinds=kinds, timeout_s=timeout_s)
        return self._hosted.run(work)

    def survey_groups(
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
        work = self._admin.survey_groups(states=states, kinds=kinds, timeout_s=timeout_s)
        return self._hosted.run(work)

    def survey_offsets(
        self, groups: Iterable[GroupDescription], *, timeout_s: float | None = None
    ) -> dict[str, dict[TopicPartition, CommittedOffset]]:
        """The positions of groups that `survey_groups` told of, by group; share groups have none."""
        return self._hosted.run(self._admin.survey_offsets(groups, timeout_s=timeout_s))

    def survey_share_offsets(
        self, groups: Iterable[GroupDescription], *, timeout_s: float | None = None
    ) -> dict[str, dict[TopicPartition, ShareOffset]]:
        """Where those share groups are that `survey_groups` told of, by group; others are left out."""
        return self._hosted.run(self._admin.survey_share_offsets(groups, timeout_s=timeout_s))

    def describe_groups(
        self, group_ids: Iterable[str], *, timeout_s: float | None = None
    ) -> dict[str, GroupDescription]:
        """Groups with their members.

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
        """The positions that a group has saved, of these partitions or of all.

        Those that an open transaction has saved are waited for; unless `require_stable`, it is told
        what was saved before.

        Raises:
            BrokerError: UNSTABLE_OFFSET_COMMIT, one was not decided in time.
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
            InvalidArgument: an offset is below 0.
            BrokerError: UNKNOWN_MEMBER_ID, it has some; UNKNOWN_TOPIC_OR_PARTITION, a partition is
                not there. Others may be saved all the same.
        """
        work = self._admin.alter_group_offsets(group_id, offsets, timeout_s=timeout_s)
        self._hosted.run(work)

    def delete_group_offsets(
        self, group_id: str, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> None:
        """Forget saved positions of topics that no member subscribes to.

        Raises:
            BrokerError: GROUP_SUBSCRIBED_TO_TOPIC, one does.
        """
        work = self._admin.delete_group_offsets(group_id, partitions, timeout_s=timeout_s)
        self._hosted.run(work)

    def alter_share_group_offsets(
        self, group_id: str, offsets: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> None:
        """Have a share group without members go on at these offsets; it is made if it is not there.

        Raises:
            InvalidArgument: an offset is below 0.
            BrokerError: NON_EMPTY_GROUP, it has members; GROUP_ID_NOT_FOUND, a group of another kind
                has that name, or it is not there and none of the partitions is;
                UNKNOWN_TOPIC_OR_PARTITION, a partition is not there. Others may be moved all the same.
        """
        work = self._admin.alter_share_group_offsets(group_id, offsets, timeout_s=timeout_s)
        self._hosted.run(work)

    def delete_share_group_offsets(
        self, group_id: str, topics: Iterable[str], *, timeout_s: float | None = None
    ) -> None:
        """Have a share group without members forget where it was in these topics.

        Raises:
            BrokerError: NON_EMPTY_GROUP, it has members; GROUP_ID_NOT_FOUND;
                UNKNOWN_TOPIC_OR_PARTITION, it was in none of that name; also where it was, and the
                answer to a first try was lost. Others may be forgotten all the same.
        """
        work = self._admin.delete_share_group_offsets(group_id, topics, timeout_s=timeout_s)
        self._hosted.run(work)

    def delete_groups(self, group_ids: Iterable[str], *, timeout_s: float | None = None) -> None:
        """Delete groups without members, with all that they saved.

        Raises:
            BrokerError: NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND; others may be deleted all the same.
        """
        self._hosted.run(self._admin.delete_groups(group_ids, timeout_s=timeout_s))

    def remove_members(
        self,
        group_id: str,
        instances: Iterable[str] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> None:
        """End the membership of static members by their names; where None are named, of all."""
        work = self._admin.remove_members(group_id, instances, timeout_s=timeout_s)
        self._hosted.run(work)
