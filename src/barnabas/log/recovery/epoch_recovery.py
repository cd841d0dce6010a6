"""Rebuild leader epochs from batches, each of which contains its epoch.

The file beside the segments avoids reading them all; if it is damaged or missing, they are read.
Messages of magic 0 and 1 have no epochs.
"""

import contextlib
import logging

from barnabas.errors import DecodeError, StorageError
from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.log.segments.segments import Segments
from barnabas.records.batches.batch import BatchHeader

_log = logging.getLogger(__name__)


def rebuild_epochs(epochs: LeaderEpochs, segments: Segments, start: int, fault: str) -> None:
    """Rebuild the epochs of the batches from `start` on, and write them; `fault` is the reason.

    Raises:
        StorageError: a segment cannot be read.
    """
    found: list[tuple[int, int]] = []
    newest = -1
    for segment in segments:
        try:
            for header in segment.headers(0):
                if header.leader_epoch > newest:
                    newest = header.leader_epoch
                    found.append((newest, header.base_offset))
        except DecodeError:
            continue  # What follows a damaged batch cannot be served, and has no effect.
    _log.warning("leader epochs made again from the log", extra={"file": epochs.path, "why": fault})
    with contextlib.suppress(StorageError):
        # They are known. A disk that takes nothing now is tried again with the next epoch.
        epochs.replace(found)
    epochs.truncate_start(start)


def check_epochs(epochs: LeaderEpochs, segments: Segments, start: int) -> None:
    """Compare each epoch's first offset with the adjacent batches; rebuild what is wrong.

    `start`: where the log starts.
    """
    previous = -1
    for epoch, begin in epochs.entries():
        try:
            before = _batch_at(segments, begin - 1) if begin > start else None
            behind = _batch_at(segments, begin)
        except StorageError:
            continue  # It cannot be seen.
        early = before is not None and before.base_offset < begin and before.leader_epoch > previous
        late = behind is not None and behind.base_offset >= begin and behind.leader_epoch < epoch
        if early or late:
            what = f"epoch {epoch} does not start at {begin}, by the batches there"
            rebuild_epochs(epochs, segments, start, what)
            return
        previous = epoch


def _batch_at(segments: Segments, offset: int) -> BatchHeader | None:
    """The batch that holds an offset, or the next one of its segment."""
    segment = segments[segments.number_of(offset)]
    place = segment.find(offset)
    return None if place is None else segment.first_header(place.position)
