"""A broker under a profile says of its properties what the Kafka of that release says."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pytest

from barnabas.broker.properties.broker_settings import BrokerSettings
from barnabas.broker.properties.config_entries import broker_entries
from barnabas.config.broker import BrokerConfig
from barnabas.config.releases import release_line

FILES = sorted(Path(__file__).with_name("properties").glob("kafka-*.txt"))

MEANT = {
    "default": (
        "listeners", "log.dir", "node.id", "queued.max.request.bytes",
        "offsets.topic.replication.factor",  # as docs/configuration.md says
        "group.consumer.assignors",  # names of classes before 4.0
        "listener.security.protocol.map",  # the same in another order; 0.11 also has TRACE
        "advertised.listeners", "zookeeper.connect",  # none, for nothing
    ),
    "kind": (
        "advertised.listeners", "controller.listener.names", "early.start.listeners", "listeners",
        "log.dir", "log.dirs", "listener.security.protocol.map",  # text before 4.2, and lists since
        "group.share.max.size",  # a short in 3.9
    ),
    "changeable": (
        "listener*", "max.connection.creation.rate", "max.connections.per.ip.overrides",
        "principal.builder.class", "sasl.*", "ssl.*", "advertised.listeners",  # for a start only
        "log.message.downconversion.enable", "log.message.timestamp.difference.max.ms",
        "log.retention.hours", "log.retention.minutes", "log.roll.hours",  # 1.1 says so, wrongly
        "log.roll.jitter.hours",
    ),
}  # fmt: skip
"""Names of properties that are described otherwise on purpose."""


class SentFrame(NamedTuple):
    """A line. `kind` and `default` are empty where they are not known."""

    kind: str
    default: str
    changeable: bool


def reported_by_kafka(file: Path) -> dict[str, SentFrame]:
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, *words = line.split()
        changeable = words[-1] == "changeable" and len(words) > 1
        *kind, default = words[:-1] if changeable else words
        known = "" if default == "?" else default
        found[name] = SentFrame(kind[0] if kind else "", known, changeable)
    return found


def reported_by_us(release: str) -> dict[str, SentFrame]:
    settings = BrokerSettings(BrokerConfig.load({}, release=release))
    found = {}
    for entry in broker_entries(settings.layers):
        value = entry.origins[-1].value
        default = "-" if value is None or entry.is_sensitive else value.replace(" ", "") or "''"
        found[entry.row.name] = SentFrame(entry.row.kind.name.lower(), default, not entry.read_only)
    return found


def differences(
    theirs: dict[str, SentFrame], ours: dict[str, SentFrame]
) -> Iterator[tuple[str, str, str]]:
    for name, reported in theirs.items():
        for field in SentFrame._fields:
            they, we = getattr(reported, field), getattr(ours[name], field)
            if they not in ("", we):
                yield field, name, f"{name}: Kafka says {field} {they}, we say {we}"


def is_meant(field: str, name: str) -> bool:
    return any(fnmatchcase(name, each) for each in MEANT[field])


@pytest.mark.parametrize("file", FILES, ids=lambda each: each.stem)
def test_a_profile_has_the_properties_of_the_release(file: Path) -> None:
    theirs = reported_by_kafka(file)
    ours = reported_by_us(release_line(file.stem.removeprefix("kafka-")))
    assert sorted(ours) == sorted(theirs)
    found = differences(theirs, ours)
    assert [response for field, name, response in found if not is_meant(field, name)] == []


def test_there_are_nine_releases() -> None:
    assert len(FILES) == 9


def test_what_is_meant_differs_somewhere() -> None:
    met = {
        (field, name)
        for file in FILES
        for field, name, _ in differences(
            reported_by_kafka(file), reported_by_us(release_line(file.stem.removeprefix("kafka-")))
        )
    }
    unmet = [
        (field, pattern)
        for field, names in MEANT.items()
        for pattern in names
        if not any(one == field and fnmatchcase(name, pattern) for one, name in met)
    ]
    assert unmet == []
