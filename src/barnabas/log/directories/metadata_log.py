"""The metadata log of a Kafka KRaft controller, read from its directory.

It is a partition's log whose start may be replaced by a snapshot: a file of batches, named by end
offset and epoch of the part that it replaces. Source: KIP-595, KIP-630.
"""

import re
from collections.abc import Iterator

from barnabas.log.file_names import LOG, parse_segment_file
from barnabas.log.segments.scan import scan_batches
from barnabas.ports import Disk
from barnabas.records.columns.reading import decode_records

METADATA_DIRECTORY = "__cluster_metadata-0"
_SNAPSHOT = re.compile(r"(\d{20})-\d{10}\.checkpoint")


def metadata_values(disk: Disk, directory: str) -> Iterator[bytes]:
    """Yield the values of its records: those of the newest snapshot, then those after it.

    Batches after an incomplete one do not count, as after a recovery.

    Raises:
        CorruptRecord: a batch with a correct CRC contains something else than records.
        StorageError: a file cannot be read.
    """
    names = sorted(disk.list(directory))
    behind = 0
    snapshots = [found for found in map(_SNAPSHOT.fullmatch, names) if found]
    if snapshots:
        newest = snapshots[-1]
        behind = int(newest[1])
        yield from _values(disk, f"{directory}/{newest[0]}", 0)
    for name in names:
        parsed = parse_segment_file(name)
        if parsed and parsed[1] == LOG:
            yield from _values(disk, f"{directory}/{name}", behind)


def _values(disk: Disk, path: str, first: int) -> Iterator[bytes]:
    """Of the records from offset `first` on."""
    file = disk.open(path)
    try:
        for found in scan_batches(file, 0, file.size()):
            if found.header.next_offset > first:
                records, _ = decode_records(found.data, "", 0, start=first)
                yield from [record.value for record in records if record.value is not None]
    finally:
        file.close()
