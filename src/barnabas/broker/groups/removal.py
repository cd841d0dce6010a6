"""GroupRemoval: deletes groups and offsets on request."""

from collections.abc import Callable, Iterable, Sequence

from barnabas.broker.groups.group_shards import GroupShards
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import TopicPartition

Codes = dict[str, ErrorCode]


class GroupRemoval:
    """Deletes groups without members, and offsets that nobody uses. For one thread.

    `forget_shares` drops what is kept of a share group's places.
    """

    def __init__(
        self, shards: GroupShards, forget_shares: Callable[[str, Iterable[TopicIdPartition]], None]
    ) -> None:
        self._shards = shards
        self._forget_shares = forget_shares

    def delete_groups(self, group_ids: Sequence[str]) -> Steps[Codes]:
        """Delete groups with their offsets; the codes are there when that is written."""
        deleted: dict[str, Pending] = {}
        for group_id in group_ids:
            if group_id not in deleted:
                # What this turn commits goes with the group.
                self._shards.write()
                deleted[group_id] = Pending()
                self._delete(group_id, deleted[group_id].complete)
            yield
        codes: Codes = {}
        for group_id, pending in deleted.items():
            codes[group_id] = yield pending
        return codes

    def _delete(self, group_id: str, done: Callable[[ErrorCode], None]) -> None:
        try:
            held = self._shards.find(group_id)
        except BrokerError as error:
            done(error.code)
            return
        if held is None:
            done(ErrorCode.GROUP_ID_NOT_FOUND)
            return
        try:
            self._shards.check_fits(held, group_id, held.shard.offsets.count(group_id))
        except BrokerError as error:
            done(error.code)
            return
        share = held.shard.share.get(group_id)
        result = held.shard.delete_group(group_id)
        self._shards.memory.changed(group_id)
        if share is not None and not result.reply:
            self._forget_shares(group_id, share.read)
        if result.records:
            self._shards.append_or_restore(held, result, done)
        else:
            done(result.reply)

    def delete_offsets(
        self, group_id: str, positions: Sequence[TopicPartition]
    ) -> Steps[tuple[ErrorCode, Sequence[ErrorCode]]]:
        """Delete offsets: a code for all and, if that is NONE, one for each, when that is written.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE, or they are too many for one batch.
        """
        self._shards.write()
        held = self._shards.find(group_id)
        if held is None:
            return ErrorCode.GROUP_ID_NOT_FOUND, ()
        known = held.shard.offsets.count(group_id)
        self._shards.check_fits(held, group_id, min(known, len(positions)))
        result = yield from held.shard.delete_offsets(group_id, positions)
        if isinstance(result.reply, ErrorCode):
            return result.reply, ()
        pending = Pending()
        if result.records:
            self._shards.append(held, result.records, pending.complete)
        else:
            pending.complete(ErrorCode.NONE)
        code = yield pending
        return code, result.reply
