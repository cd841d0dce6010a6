import ast
from functools import cache
from pathlib import Path

import pytest

import barnabas
from barnabas.broker.groups.limits import check_limits
from barnabas.config.broker import IN_OTHER_UNITS, BrokerConfig
from barnabas.config.clients import AdminConfig, ConsumerConfig, ProducerConfig
from barnabas.config.configuration import Configuration
from barnabas.config.definition import Setting
from barnabas.config.share_clients import ShareConsumerConfig
from barnabas.config.topic import TopicConfig

PACKAGE = Path(barnabas.__file__).parent

READERS: dict[type[Configuration], tuple[str, ...]] = {
    BrokerConfig: ("broker", "config", "cli"),
    TopicConfig: ("broker",),
    ProducerConfig: ("client",),
    ConsumerConfig: ("client",),
    AdminConfig: ("client",),
    ShareConsumerConfig: ("client",),
}
"""Where the properties of each kind are looked at."""


@cache
def attributes_read(folder: str) -> frozenset[str]:
    trees = [ast.parse(path.read_text("utf-8")) for path in (PACKAGE / folder).rglob("*.py")]
    return frozenset(
        node.attr
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    )


def is_read(kind: type[Configuration], row: Setting) -> bool:
    return any(row.attribute in attributes_read(folder) for folder in READERS[kind])


def topic_defaults() -> set[str]:
    """The broker's properties that reach the code as the default of a topic's property."""
    found = {
        row.synonym
        for row in TopicConfig.settings().values()
        if row.synonym and not row.inert and is_read(TopicConfig, row)
    }
    return found | {other for name in found for other, _ in IN_OTHER_UNITS.get(name, ())}


@pytest.fixture
def limits_of_groups(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The broker's properties that limit those of groups, which are read by names that are put together."""
    names = set[str]()
    value = BrokerConfig.value

    def note(config: BrokerConfig, name: str) -> object:
        names.add(name)
        return value(config, name)

    with monkeypatch.context() as patch:
        patch.setattr(BrokerConfig, "value", note)
        check_limits(BrokerConfig(), {})
    return names


@pytest.mark.parametrize("kind", READERS, ids=lambda kind: kind.__name__)
def test_a_property_does_something_or_says_that_it_does_not(
    kind: type[Configuration], limits_of_groups: set[str]
) -> None:
    only_checked = {row.name for row in kind.settings().values() if len(row.choices) == 1}
    otherwise = topic_defaults() | limits_of_groups if kind is BrokerConfig else set()
    without_effect = [
        row.name
        for row in kind.settings().values()
        if not row.inert and not is_read(kind, row)
        if row.name not in only_checked | otherwise
    ]
    assert without_effect == [], "use them, or say in `inert` why they change nothing"


@pytest.mark.parametrize("kind", READERS, ids=lambda kind: kind.__name__)
def test_a_synonym_is_a_property_of_the_broker(kind: type[Configuration]) -> None:
    synonyms = {row.synonym for row in kind.settings().values() if row.synonym}
    assert synonyms <= BrokerConfig.settings().keys()


def test_a_broker_wide_default_is_as_inert_as_what_it_stands_for() -> None:
    broker = BrokerConfig.settings()
    assert [
        row.name
        for row in TopicConfig.settings().values()
        if row.synonym and bool(broker[row.synonym].inert) != bool(row.inert)
    ] == []
