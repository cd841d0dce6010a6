"""A dry run before anything was copied."""

from pathlib import Path
from typing import cast

from barnabas import Admin
from barnabas.cli.migrate.run import MigrateArguments, MigrationRun
from barnabas.ports import SharedRegistry
from barnabas.records.codecs.compression import Codec
from tests.migration_peers import PLACE, MemorySource
from tests.unit.broker.in_memory import MemoryRegistry
from tests.wires.golden07 import M1


class NoTopics:
    def describe_topics(self) -> dict[str, object]:
        return {}


def test_groups_are_shown_before_anything_is_copied(tmp_path: Path) -> None:
    registry = MemoryRegistry()
    for group, given in (("barn", b"12x"), ("kennel", b"15")):
        registry.create(f"/consumers/{group}/offsets/dogs/{PLACE}", given)
    asked = MigrateArguments(
        "dogs", "dogs", str(tmp_path / "map"), Codec.NONE, {}, skip=False, groups=True
    )
    run = MigrationRun(
        asked,
        MemorySource({0: M1 * 2}),
        cast("SharedRegistry", registry),
        cast("Admin", NoTopics()),
        "cluster",
    )
    report = run.planned()
    assert report.partitions == [(0, "0-0", 0, 30)]
    assert report.groups == [
        ("kennel", "0-0", 0, 15, None, None, "not moved"),
        ("barn", "0-0", 0, None, None, None, "refused: not an offset: b'12x'"),
    ]
    assert report.failed
