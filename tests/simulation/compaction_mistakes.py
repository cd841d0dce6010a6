"""Mistakes that only a restart from a compacted log shows; see `mistakes`."""

from typing import Any

import pytest

from barnabas.coordinators.common.draft import RecordDraft
from barnabas.coordinators.common.group_replay import GroupReplay
from barnabas.coordinators.common.record_kinds import encode_record, read_record
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.common.undo import Undo
from barnabas.coordinators.consumer_group import migration, records
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.share_state.states import ShareState, ShareStates, StateKey
from barnabas.errors import DecodeError
from barnabas.protocol.internal import share_state_records as layouts
from barnabas.records.compaction.transactions import TransactionFilter
from barnabas.types import Buffer

Patch = pytest.MonkeyPatch


def keep_what_changed_of_shares(patch: Patch) -> None:
    """Write of a share group's partition what is new, where the last such record replaces the others."""
    real = ShareStates.snapshot

    def snapshot(
        states: ShareStates, key: StateKey, state: ShareState, now_ms: int
    ) -> CoordinatorRecord:
        was = states.get(key)
        if was is None or was.state_epoch != state.state_epoch:
            return real(states, key, state, now_ms)
        of = layouts.ShareUpdateKey(
            group_id=key.group_id,
            topic_id=key.topic_partition.topic_id,
            partition=key.topic_partition.partition,
        )
        value = layouts.ShareUpdateValue(
            snapshot_epoch=was.snapshot_epoch,
            leader_epoch=state.leader_epoch,
            start_offset=state.start,
            delivery_complete_count=state.done,
            state_batches=[
                layouts.StateBatch(
                    first_offset=one.first,
                    last_offset=one.last,
                    delivery_state=one.state,
                    delivery_count=one.count,
                )
                for one in state.spans
                if one not in was.spans
            ],
        )
        return encode_record(1, of, value)

    patch.setattr(ShareStates, "snapshot", snapshot)


def remove_only_what_is_there(patch: Patch) -> None:
    """Take a record for damage that removes something of a group that no record has named."""
    real = GroupReplay.__call__

    def replay(
        self: GroupReplay[Any],
        groups: dict[str, Any],
        key: Buffer | None,
        value: Buffer | None,
        undo_log: list[Undo] | None = None,
    ) -> bool:
        response = read_record(key, value, self._layouts)
        if response is not None and response.value is None and response.key.group_id not in groups:
            raise DecodeError("key.group_id", 0, "a group that there is")
        return real(self, groups, key, value, undo_log)

    patch.setattr(GroupReplay, "__call__", replay)


def end_only_the_group(patch: Patch) -> None:
    """Do not write of each member that it is gone where the whole group is."""

    def delete(draft: RecordDraft, group: ConsumerGroup) -> None:
        draft.add(records.no_group(group.group_id))

    patch.setattr(migration, "delete", delete)


def drop_markers(patch: Patch) -> None:
    """Let the marker of a transaction go while there are records of it."""
    patch.setattr(TransactionFilter, "ends_nothing", lambda *_asked: True)


COMPACTION_MISTAKES = (
    keep_what_changed_of_shares,
    remove_only_what_is_there,
    end_only_the_group,
    drop_markers,
)
