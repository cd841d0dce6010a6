"""One run of `barnabas migrate`: the target topic, the map, all partitions, then the groups."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from barnabas import Admin
from barnabas.cli.migrate.group_moves import NO_OFFSET, NOT_COPIED, SHOWN, move, not_moved
from barnabas.cli.migrate.report import DONE, PLANNED, MigrationReport
from barnabas.cli.output.output import Row, counted
from barnabas.cli.output.progress import ProgressBars
from barnabas.errors import ConfigError
from barnabas.migration import new_topic
from barnabas.migration.cluster_target import ClusterTarget
from barnabas.migration.migration import Migration, MigrationOptions
from barnabas.migration.offset_map import OffsetMap
from barnabas.migration.positions import stored, strays
from barnabas.migration.source import MigrationSource
from barnabas.ports import SharedRegistry
from barnabas.records.codecs.compression import Codec
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.files.disk import RealDisk


@dataclass(frozen=True, slots=True)
class MigrateArguments:
    """The arguments. `map` is the path of a file, `settings` are client properties."""

    topic: str
    target: str
    map: str
    codec: Codec
    settings: dict[str, object]
    skip: bool
    groups: bool


class MigrationRun:
    """`registry` is the ZooKeeper of 0.7, if given; `cluster` is the target's cluster id."""

    def __init__(
        self,
        asked: MigrateArguments,
        source: MigrationSource,
        registry: SharedRegistry | None,
        admin: Admin,
        cluster: str | None,
    ) -> None:
        self._asked = asked
        self._source = source
        self._registry = registry
        self._admin = admin
        self._cluster = cluster
        self._disk = RealDisk()
        self._clock = SystemClock()

    def planned(self) -> MigrationReport:
        """Return what would be done; nothing changes and no topic is created.

        Raises:
            KafkaError: it could not be done.
        """
        report = MigrationReport(f"{self._asked.topic}, not copied yet", PLANNED, self._summary())
        exists = self._is_there()
        if not (exists and self._disk.exists(self._asked.map)):
            for partition, place in enumerate(self._source.places):
                report.partitions.append((partition, str(place), *self._source.bounds(place)))
            report.groups = self._groups(None, execute=False)
            return report
        with closing(self._target()) as target:
            migration = self._migration(target, self._map())
            for partition, place in enumerate(self._source.places):
                report.partitions.append((partition, str(place), *migration.left(partition)))
            report.groups = self._groups(migration, execute=False)
        return report

    def done(self, progress: ProgressBars) -> MigrationReport:
        """Copy what is left, compare everything, move the groups.

        Raises:
            KafkaError: it cannot continue; completed work is kept.
        """
        began = self._clock.monotonic()
        report = MigrationReport("", DONE, self._summary())
        with self._disk.lock(self._asked.map + ".lock"), closing(self._target()) as target:
            # Before the topic is created: the map may belong to another migration.
            offsets = self._map()
            if not self._is_there():
                new_topic.create(self._admin, self._asked.target, len(self._source.places))
            migration = self._migration(target, offsets)
            size = messages = 0
            for row, moved, count in self._partitions(migration, progress, report):
                report.partitions.append(row)
                size, messages = size + moved, messages + count
            seconds = max(self._clock.monotonic() - began, 1e-6)
            report.left_out = [
                (partition, str(place), block.start, block.end, block.left_out)
                for partition, place in enumerate(self._source.places)
                for block in migration.offsets.blocks(partition)
                if block.left_out
            ]
            report.groups = self._groups(migration, execute=True)
        report.summary |= {"messages": messages, "bytes": size, "seconds": round(seconds, 3)}
        report.title = (
            f"{self._asked.topic} to {self._asked.target}: {messages:,} messages, "
            f"{size / seconds / 1e6:,.1f} MB/s, copied and compared in {seconds:,.1f} s"
        )
        return report

    def _partitions(
        self, migration: Migration, progress: ProgressBars, report: MigrationReport
    ) -> Iterator[tuple[Row, int, int]]:
        """Return a row for each partition, the number of source bytes copied, and the number of messages.

        `report` receives what the next run has to do.
        """
        for partition, place in enumerate(self._source.places):
            at, until = migration.left(partition)
            progress.begin(f"{place} copied", until - at, unit="bytes")
            copied = migration.copy(partition, until, lambda size, _: progress.advance(size))
            if copied.tail:
                report.not_yet.append((partition, str(place), copied.end, until, copied.tail))
            blocks = migration.offsets.blocks(partition)
            there = blocks[-1].next_offset if blocks else 0
            progress.begin(f"{place} compared", there, unit="records")
            compared = migration.verify(partition, progress.advance)
            row = (
                partition, str(place), copied.start, copied.end, copied.messages, copied.found,
                copied.left_out, *compared,
            )  # fmt: skip
            yield row, copied.end - copied.start, copied.messages

    def _groups(self, migration: Migration | None, *, execute: bool) -> list[Row] | None:
        """Without a migration nothing was copied, and there are no records to map."""
        if not self._asked.groups:
            return None
        assert self._registry is not None, "moving groups requires the offsets' map"
        there = list(stored(self._registry, self._asked.topic, self._source.places))
        rows: list[Row] = []
        if migration is None:
            known = (one for one in there if one.old is not None)
            rows += [(*not_moved(one), SHOWN) for one in known]
        else:
            found = migration.positions(self._registry, self._asked.topic)
            rows += move(self._admin, self._asked.target, found, execute=execute)
        wrong = (one for one in there if one.old is None)
        rows += [(*not_moved(one), f"{NO_OFFSET}: {one.text[:40]!r}") for one in wrong]
        for group, place in strays(self._registry, self._asked.topic, self._source.places):
            rows.append((group, place, None, None, None, None, NOT_COPIED))
        return rows

    def _is_there(self) -> bool:
        """Whether the target topic exists.

        Raises:
            ConfigError: it has another number of partitions than the source.
        """
        found = self._admin.describe_topics().get(self._asked.target)
        wanted = len(self._source.places)
        if found is not None and len(found.partitions) != wanted:
            there = counted(len(found.partitions), "partition")
            raise ConfigError(
                f"{self._asked.target} has {there}, the source {wanted}: --to names another topic"
            )
        return found is not None

    def _target(self) -> ClusterTarget:
        return ClusterTarget(self._asked.settings, self._asked.target)

    def _map(self) -> OffsetMap:
        described = {
            "topic": self._asked.topic,
            "target": self._asked.target,
            "cluster": self._cluster,
            "places": [str(place) for place in self._source.places],
        }
        return OffsetMap(self._disk.open(self._asked.map, create=True), described)

    def _migration(self, target: ClusterTarget, offsets: OffsetMap) -> Migration:
        encode = new_topic.encode_options(self._admin, self._asked.target, self._asked.codec)
        options = MigrationOptions(encode, skip=self._asked.skip)
        return Migration(self._source, target, offsets, options)

    def _summary(self) -> dict[str, object]:
        return {
            "topic": self._asked.topic,
            "target": self._asked.target,
            "map": self._asked.map,
        }
