"""Serve the rest of a log some of whose segments are missing."""

from barnabas.errors import StorageError
from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.partition.offline_log import OfflineLog
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import LogOrigin, open_log
from barnabas.log.recovery.truncation import skip_to
from barnabas.log.segments.log_config import LogConfig


def reopen(log: OfflineLog, config: LogConfig, origin: LogOrigin, now_ms: int) -> PartitionLog:
    """Open a log with its remaining segments; it continues at its `origin`.

    All of it is on stable storage then.

    Raises:
        StorageError: it still cannot be opened, or not be synced.
    """
    checkpoint = Checkpoint(log.recovery_point, log.start_offset)
    found = open_log(log.disk, log.topic_partition, log.directory, config, checkpoint)
    if found.failure is not None:
        found.close(clean=False)
        raise found.offline()
    if found.end_offset < origin.offset:
        skip_to(found, origin.offset, now_ms)
    found.lead(origin.epoch)
    try:
        found.flush()
    except StorageError:
        found.close(clean=False)
        raise
    return found
