"""A streaming query's progress as committed offsets of a group, for lag tools.

Only shown, never read back: where a query goes on is in its checkpoint. Nobody joins the group.
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
    """Saves what a query has finished, as often as that changes. `group` None: nowhere.

    Spark asks where the next batch ends only once the one before is in the log of commits, so the
    start that it asks with is finished. Its `commit` comes a batch later, and never for the last
    batch of a query that reads what is there now.
    """

    def __init__(self, group: str | None, save: Save) -> None:
        self._group = group
        self._save = save
        self._saved: OffsetMap | None = None

    def finished(self, offsets: Mapping[TopicPartition, int]) -> None:
        """All before these offsets was processed.

        A save that fails for the moment is left out, with a warning: the next one says more.

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
