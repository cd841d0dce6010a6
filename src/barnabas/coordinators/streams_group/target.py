"""Group epochs and target assignments of a streams group: when they change, and the records for it."""

from typing import NamedTuple

from barnabas.coordinators.common.draft import RecordDraft
from barnabas.coordinators.streams_group import records
from barnabas.coordinators.streams_group.configuring import Configured
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.settings import StreamsSettings
from barnabas.coordinators.streams_group.statuses import Status, StatusCode
from barnabas.coordinators.streams_group.sticky_assignor import GroupTasks, assign
from barnabas.coordinators.streams_group.tasks import NO_TASKS, Tasks
from barnabas.coordinators.streams_group.topology import Topology


class TopologyCheck(NamedTuple):
    """The result of a check: the topology, its topics, and a hash of them."""

    topology: Topology
    configured: Configured
    metadata_hash: int
    topics_seen: int

    @property
    def validated(self) -> int:
        """The epoch of the topology if its topics all exist, otherwise -1."""
        return -1 if self.configured.problem else self.topology.epoch


def refresh(
    draft: RecordDraft,
    group: StreamsGroup,
    look: TopologyCheck,
    settings: StreamsSettings,
    *,
    has_news: bool,
) -> None:
    """Start the next epoch if a member, the topics or the number of standby tasks have changed."""
    volatile = group.volatile
    if (
        has_news
        or look.metadata_hash != group.metadata_hash
        or look.validated != group.validated
        or volatile.standbys not in {None, settings.standbys}
    ):
        draft.add(
            records.epoch_record(
                group.group_id, group.epoch + 1, look.metadata_hash, look.validated
            )
        )
    volatile.configured, volatile.topics_seen = look.configured, look.topics_seen
    volatile.standbys = settings.standbys


def retarget(
    draft: RecordDraft, group: StreamsGroup, settings: StreamsSettings, now: int
) -> Status | None:
    """Make a new assignment if one is due, and add its records; return why it is postponed."""
    if group.volatile.delayed_until is not None:
        return _delayed("initial rebalance delay")
    if group.epoch <= group.assignment_epoch:
        return None
    if group.assigned_at_ms and now < group.assigned_at_ms + settings.assignment_interval_ms:
        return _delayed("assignment interval")
    shares = _shares(group, settings)
    for member_id in sorted(shares):
        if group.target.get(member_id) != shares[member_id]:
            draft.add(records.target_record(group.group_id, member_id, shares[member_id]))
    draft.add(records.assignment_epoch_record(group.group_id, group.epoch, now))
    return None


def _delayed(why: str) -> Status:
    text = f"Assignment delayed due to the configured {why}."
    return Status(StatusCode.ASSIGNMENT_DELAYED, text)


def _shares(group: StreamsGroup, settings: StreamsSettings) -> dict[str, Tasks]:
    configured, topology = group.volatile.configured, group.topology
    if configured is None or configured.problem or topology is None:
        return dict.fromkeys(group.members, NO_TASKS)
    stateful = (one.subtopology_id for one in topology.subtopologies if one.state_changelog_topics)
    return assign(
        GroupTasks(
            {name: member.process_id for name, member in group.members.items()},
            configured.tasks,
            frozenset(stateful),
            settings.standbys,
            group.target,
        )
    )
