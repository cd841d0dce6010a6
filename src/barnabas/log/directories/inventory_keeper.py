"""Keeps the inventory of all log directories: reads it at the start, writes it while the broker runs."""

import contextlib
from collections.abc import Iterator, Mapping
from functools import partial

from barnabas.errors import StorageError
from barnabas.log.directories.directories import LogDirectories
from barnabas.log.directories.directory import LogDirectory
from barnabas.log.directories.inventory import (
    DELETED_AWAY,
    LOST,
    LOST_OPEN,
    MADE_ANEW,
    REPLACED,
    THERE,
    DirectoryInventory,
    InventorySection,
    KnownLog,
    KnownSegment,
    encode,
)
from barnabas.log.directories.inventory_files import InventoryFiles
from barnabas.log.file_names import uuid_text
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.ports import Disk, Entropy, File
from barnabas.types import TopicPartition

_ROWS_A_STEP = 1000
_NOTHING_NAMED = -1


class InventoryKeeper:
    """`inventory` holds what is not served: in missing directories, or missing in existing ones."""

    def __init__(self, disk: Disk, entropy: Entropy, directories: LogDirectories) -> None:
        self.inventory = DirectoryInventory()
        self.is_stale = False
        """Segments that it has were taken out of logs; they must not go before it is written."""
        self._entropy = entropy
        self._directories = directories
        self._files = InventoryFiles(disk, directories)
        self._listed: dict[str, set[TopicPartition]] = {}
        """By directory id: the partitions that the files list, whether they are still there or not."""

    # --- At the start -------------------------------------------------------------------------

    def load(self) -> None:
        """Read the newest copy in the directories that can be used; without one nothing is known."""
        self.inventory = self._files.read() or DirectoryInventory()
        for directory_id, section in self.inventory.sections.items():
            self._listed[directory_id] = set(section.partitions)

    @property
    def misses_directories(self) -> bool:
        """Whether directories that it knows cannot be used, so that their copies get old."""
        usable = {directory.directory_id for directory in self._directories.usable}
        return any(
            section.partitions and directory_id not in usable
            for directory_id, section in self.inventory.sections.items()
        )

    def begin(self) -> None:
        """Mark the directories as in use; forget entries of those that another broker used."""
        sections = self.inventory.sections
        rows = []
        for directory in self._directories.usable:
            directory.on_recovery_points = partial(self._expect, directory)
            section = sections.get(directory.directory_id)
            if section is None:
                continue
            if not _is_as_left(directory, section):
                del sections[directory.directory_id]
                continue
            section.was_in_order = bool(section.token)
            if section.token or section.checkpoint != directory.recovery_checksum:
                section.token, section.checkpoint = "", directory.recovery_checksum
                rows.append(section.header())
        # A mark that cannot be written down is not believed at the next start.
        with contextlib.suppress(StorageError):
            self._files.add(rows, durable=True)

    def _expect(self, directory: LogDirectory, checkpoint: int) -> None:
        """Note the checksum of recovery points that are about to be written: a kill may come in between."""
        with contextlib.suppress(StorageError):  # Without it nothing is missed after such a kill.
            section = InventorySection(directory.directory_id, directory.path, "", checkpoint)
            self._files.add([section.header()], durable=True)

    def take(self, directory: LogDirectory, partition: TopicPartition) -> KnownLog | None:
        """What is known of a partition that was found in a directory; it is served from now on."""
        section = self.inventory.sections.get(directory.directory_id)
        return None if section is None else section.partitions.pop(partition, None)

    def put_back(self, directory: LogDirectory, partition: TopicPartition, known: KnownLog) -> None:
        """A partition that was found is not served."""
        self.inventory.sections[directory.directory_id].partitions[partition] = known

    def known(self, directory: LogDirectory, partition: TopicPartition) -> KnownLog | None:
        """What is known of a partition in a directory."""
        section = self.inventory.sections.get(directory.directory_id)
        return section.partitions.get(partition) if section else None

    def is_exact(self, directory: LogDirectory, known: KnownLog | None) -> bool:
        """Whether a partition that was found in a directory ends where it is known to, for sure."""
        section = self.inventory.sections.get(directory.directory_id)
        return bool(section and known and section.is_exact(known))

    def state(self, directory: LogDirectory, partition: TopicPartition) -> str:
        """What is known of a partition in a directory; empty where nothing is."""
        known = self.known(directory, partition)
        return known.state if known else ""

    def found(self, places: Mapping[TopicPartition, str]) -> None:
        """Partitions with these ids were found in the directories; the others remain."""
        usable = {directory.directory_id for directory in self._directories.usable}
        for directory_id, section in self.inventory.sections.items():
            for partition, known in list(section.partitions.items()):
                elsewhere = places.get(partition, directory_id) != directory_id
                if directory_id in usable:
                    if elsewhere or not known.is_there:
                        del section.partitions[partition]
                    elif known.state == THERE:
                        state = LOST if section.was_in_order else LOST_OPEN
                        section.partitions[partition] = known._replace(state=state)
                elif elsewhere:
                    # If that directory is used again, its contents are old.
                    section.partitions[partition] = known._replace(state=REPLACED)

    # --- While the broker runs ----------------------------------------------------------------

    def note(self, section: InventorySection, partition: TopicPartition, state: str) -> None:
        """Write down what became of a partition that is away; `sync` makes that durable.

        Raises:
            StorageError: it cannot be written in any directory.
        """
        known = section.partitions[partition]._replace(state=state)
        self._files.add([section.row(partition, known)], durable=False)
        section.partitions[partition] = known

    def sync(self) -> None:
        """Flush the notes to stable storage.

        Raises:
            StorageError: that failed in one of the directories.
        """
        self._files.sync()

    def open_files(self) -> list[File]:
        """Return the files that have notes, for the caller to sync."""
        return self._files.open_files()

    def gone(self, directory: LogDirectory, partition: TopicPartition, *, durable: bool) -> None:
        """Note that a log is not in this directory any more; not `durable`: `sync` makes that durable.

        Raises:
            StorageError: it cannot be written in any directory.
        """
        listed = self._listed.get(directory.directory_id, set())
        if partition in listed:
            row = KnownLog(MADE_ANEW, uuid_text(bytes(16)), 0, 0, 0, "")
            self._write(directory, partition, row, durable=durable)
            listed.discard(partition)

    def renew(self, directory: LogDirectory, partition: TopicPartition) -> None:
        """Note that a new log is about to take the place of one that the files have, if they have one.

        After a kill the start then looks for none of the segments before. What is lost stays so until
        the new log is there.

        Raises:
            StorageError: it cannot be written in any directory.
        """
        known = self.known(directory, partition)
        if known is None:
            self.gone(directory, partition, durable=True)
            return
        known = known._replace(segments="")
        self._write(directory, partition, known, durable=True)
        self.put_back(directory, partition, known)

    def _write(
        self, directory: LogDirectory, partition: TopicPartition, known: KnownLog, *, durable: bool
    ) -> None:
        section = InventorySection(directory.directory_id, directory.path)
        self._files.add([section.row(partition, known)], durable=durable)

    def made(self, log: PartitionLog, directory: LogDirectory) -> None:
        """Record a new log, whose names are on stable storage."""
        row = _row(directory.directory_id, log)
        if row:
            with contextlib.suppress(StorageError):
                self._files.add([row], durable=False)
                self._listed.setdefault(directory.directory_id, set()).add(log.topic_partition)

    def moved(self, log: PartitionLog, before: LogDirectory, directory: LogDirectory) -> None:
        """Record that a log is served from another directory; what it had in the one before goes."""
        row = _row(directory.directory_id, log)
        if row:
            gone = KnownLog(DELETED_AWAY, uuid_text(log.topic_id), 0, 0, 0, "")
            section = InventorySection(before.directory_id, before.path)
            with contextlib.suppress(StorageError):
                self._files.add([section.row(log.topic_partition, gone), row], durable=False)
                self._listed.setdefault(directory.directory_id, set()).add(log.topic_partition)

    def replaced(self, partition: TopicPartition, directory: LogDirectory) -> None:
        """Note that a new log is in this directory, so that no other one brings an older one back.

        Where that cannot be written, the next start sees it, unless the other directory is back by then.
        """
        usable = {each.directory_id for each in self._directories.usable}
        for directory_id, section in self.inventory.sections.items():
            known = section.partitions.get(partition)
            if known is None or directory_id == directory.directory_id:
                continue
            if directory_id in usable:
                del section.partitions[partition]
            elif known.is_there:
                with contextlib.suppress(StorageError):
                    self.note(section, partition, REPLACED)

    def save(self, *, clean: bool = False) -> list[StorageError]:
        """Write all of it, at once; see `save_in_steps`."""
        failures: list[StorageError] = []
        for _ in self.save_in_steps(failures, clean=clean):
            pass
        return failures

    def save_in_steps(self, failures: list[StorageError], *, clean: bool = False) -> Iterator[None]:
        """Write everything, including what is served now; errors are added to `failures`.

        A step handles a thousand logs. `clean`: directories that were closed cleanly stay so.
        """
        self.is_stale = False
        self._files.begin_replacing()
        rows: list[str] = []
        listed: dict[str, set[TopicPartition]] = {}
        sections = self.inventory.sections
        for directory in self._directories.usable:
            directory_id = directory.directory_id
            token = uuid_text(self._entropy.uuid()) if clean and directory.in_order else ""
            directory.token = token
            section = sections.setdefault(
                directory_id, InventorySection(directory_id, directory.path)
            )
            section.path, section.token = directory.path, token
            section.checkpoint = directory.recovery_checksum
            listed[directory_id] = set(section.partitions)
            for number, log in enumerate(list(directory.logs.values()), 1):
                row = _row(directory_id, log)
                if row:
                    rows.append(row)
                    listed[directory_id].add(log.topic_partition)
                if number % _ROWS_A_STEP == 0:
                    yield
        usable = {directory.directory_id for directory in self._directories.usable}
        for directory_id in [*sections]:
            if directory_id not in usable and not sections[directory_id].partitions:
                del sections[directory_id]
        headers = [section.header() for section in sections.values()]
        rows += (row for section in sections.values() for row in section.rows())
        self.inventory.number += 1
        failed = self._files.replace(encode(self.inventory.number, [*headers, *rows]))
        self.is_stale |= bool(failed)
        failures += failed

    def close(self) -> None:
        """Give the files back."""
        self._files.close()


def _is_as_left(directory: LogDirectory, section: InventorySection) -> bool:
    """Whether no other broker used a directory: its clean-shutdown marker, or its recovery points, are ours."""
    if section.token:
        return section.token.encode() in directory.mark
    return not directory.mark and directory.recovery_checksum in (
        section.checkpoint, section.former,
    )  # fmt: skip


def _row(directory_id: str, log: PartitionLog) -> str:
    """The line of a log that is served; empty as long as its names may be lost with the power."""
    named = log.flushing.named_to
    if named == _NOTHING_NAMED:
        return ""
    segments = ",".join(map(str, _sure_segments(log, named)))
    topic, index = log.topic_partition
    return (
        f"{THERE} {directory_id} {uuid_text(log.topic_id)} {log.leader_epoch} {log.start_offset}"
        f" {log.written_end} {segments or '-'} {index} {topic}"
    )


def _sure_segments(log: PartitionLog, named: int) -> list[KnownSegment]:
    """Those whose names are on stable storage, with what is known of each complete one."""
    count = len(log.segments.bases_before(log.recovery_point))
    if not count:
        return [KnownSegment(base) for base in log.segments.bases_before(named + 1)[:1]]
    sure = [log.segments[number] for number in range(count)]
    whole = [KnownSegment(each.base_offset, each.size, each.aborted_entries) for each in sure[:-1]]
    # The last one may continue after the recovery point, or be cut there.
    last = KnownSegment(sure[-1].base_offset, 0, sure[-1].aborted_entries)
    return [*whole, last]
