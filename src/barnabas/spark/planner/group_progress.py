"""A streaming query's progress as committed offsets of a group, for lag tools.

Never read back: a query continues from its checkpoint. The group has no members.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Final

from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.spark.errors import OptionError
from barnabas.spark.options.offsets import OffsetMap
from barnabas.types import TopicPartition

_log = logging.getLogger(__name__)

OPTION: Final = "commitOffsetsToGroup"

Save = Callable[[str, Mapping[TopicPartition, int]], None]
"""Saves positions for a group without members."""


class GroupProgress:
    """Saves the finished offsets of a query whenever they change. `group` None: saves nothing.

    Spark requests the end of the next batch only when the previous batch is in its commit log, so the start
    in that request is finished. Its `commit` comes one batch later, and never for the last batch of a
    query with the trigger AvailableNow.
    """

    def __init__(self, group: str | None, save: Save) -> None:
        self._group = group
        self._save = save
        self._saved: OffsetMap | None = None

    def finished(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Note that all records before these offsets are processed.

        A save that fails temporarily is skipped with a warning: the next one includes its offsets.

        Raises:
            OptionError: the group has members, or there can be none of that name.
        """
        if self._group is None or not offsets or offsets == self._saved:
            return
        try:
            self._save(self._group, offsets)
        except BrokerError as error:
            if error.code is ErrorCode.UNKNOWN_MEMBER_ID:
                what = f"group '{self._group}' has members; name one that only this query uses"
                raise OptionError(OPTION, what) from None
            if error.code is ErrorCode.INVALID_GROUP_ID:
                raise OptionError(OPTION, f"'{self._group}' cannot be a group's name") from None
            self._warn(error)
        except KafkaError as error:
            self._warn(error)
        else:
            self._saved = dict(offsets)

    def _warn(self, error: KafkaError) -> None:
        _log.warning("offsets not committed to group %s: %s", self._group, error)
