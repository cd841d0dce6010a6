from barnabas.config.broker import BrokerConfig
from barnabas.config.group import GroupConfig
from barnabas.config.inert_broker import inert_rows
from barnabas.config.old_defaults import OLD_DEFAULTS
from barnabas.config.property_history import (
    _CHANGEABLE,
    _NOT_DESCRIBED,
    _OUR_OWN,
    _words,
    is_changeable_in,
    is_of,
)
from barnabas.config.property_releases import CAME, WENT
from barnabas.config.releases import RELEASE_07, RELEASES
from barnabas.config.topic import TopicConfig

ROWS = {
    **BrokerConfig.settings(),
    **GroupConfig.settings(),
    **{name: each.row for name, each in inert_rows().items()},
}


def test_every_line_is_of_properties_and_releases() -> None:
    for table in (CAME, WENT, _CHANGEABLE):
        lines = list(_words(table))
        order = [RELEASES.index(line) for line, *_ in lines]
        assert order == sorted(order)
        names = [name for _, *names in lines for name in names]
        assert len(names) == len(set(names))
        assert set(names) <= ROWS.keys()
    assert ROWS.keys() > _OUR_OWN | _NOT_DESCRIBED


def test_every_default_of_old_is_one_of_a_property() -> None:
    for name, *words in _words(OLD_DEFAULTS):
        bounds = []
        for word in words:
            text, _, bound = word.rpartition("<")
            bounds.append(RELEASES.index(bound))
            if text != "-":
                value = ROWS[name].parse("" if text == "''" else text, RELEASE_07)
                assert ROWS[name].render(value) == ("" if text == "''" else text)
        assert bounds == sorted(bounds)


def test_a_release_has_what_came_and_did_not_go() -> None:
    assert is_of("2.8", "zookeeper.connect")
    assert not is_of("4.0", "zookeeper.connect")
    assert not is_of("", "zookeeper.connect")
    assert not is_of("3.9", "group.share.max.share.sessions")
    assert is_of("4.1", "group.share.max.share.sessions")
    assert is_of("", "listener.dialect.map")
    assert not is_of("4.3", "listener.dialect.map")


def test_nothing_could_be_changed_while_a_broker_ran_before_1_1() -> None:
    assert is_changeable_in("1.1", "log.retention.ms")
    assert not is_changeable_in("1.0", "log.retention.ms")
    assert is_changeable_in("", "log.retention.ms")


def test_defaults_that_were_others() -> None:
    def default(release: str, name: str) -> object:
        return BrokerConfig.load({}, release=release).value(name)

    assert default("0.9.0", "group.max.session.timeout.ms") == 30_000
    assert default("2.2", "group.max.session.timeout.ms") == 300_000
    assert default("2.3", "group.max.session.timeout.ms") == 1_800_000
    assert default("0.10.2", "group.initial.rebalance.delay.ms") == 0
    assert default("2.4", "zookeeper.session.timeout.ms") == 6_000
    assert default("4.0", "group.share.partition.max.record.locks") == 200
    topic = TopicConfig.for_topic({}, BrokerConfig.load({}, release="2.4"))
    assert topic.max_message_bytes == 1_000_012
