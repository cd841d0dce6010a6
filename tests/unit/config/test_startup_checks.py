import pytest

from barnabas.config.broker import BrokerConfig
from barnabas.config.releases import RELEASE_07, RELEASES
from barnabas.config.startup_checks import AT_MOST, LESS, check_at_start
from barnabas.errors import ConfigError


@pytest.mark.parametrize("release", ["", RELEASE_07, *RELEASES])
def test_what_a_release_has_by_default_starts(release: str) -> None:
    check_at_start(BrokerConfig.load({}, release=release))


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        (
            {"group.share.session.timeout.ms": "44999"},
            (
                "group.share.session.timeout.ms=44999: it must be at least "
                "group.share.min.session.timeout.ms, which is 45000 by default"
            ),
        ),
        (
            {"group.streams.max.session.timeout.ms": "44999"},
            (
                "group.streams.max.session.timeout.ms=44999: it must be at least "
                "group.streams.session.timeout.ms, which is 45000 by default"
            ),
        ),
        (
            {"group.consumer.heartbeat.interval.ms": "15001"},
            (
                "group.consumer.heartbeat.interval.ms=15001: it must be at most "
                "group.consumer.max.heartbeat.interval.ms, which is 15000 by default"
            ),
        ),
        (
            {
                "group.consumer.session.timeout.ms": "5000",
                "group.consumer.min.session.timeout.ms": "5000",
            },
            (
                "group.consumer.session.timeout.ms=5000: it must be more than "
                "group.consumer.heartbeat.interval.ms, which is 5000 by default"
            ),
        ),
        (
            {"group.coordinator.rebalance.protocols": "consumer,streams"},
            (
                "group.coordinator.rebalance.protocols=consumer,streams: "
                "the list must contain classic"
            ),
        ),
        (
            {"group.share.max.size": "900", "group.share.max.share.sessions": "899"},
            (
                "group.share.max.size=900: it must be at most "
                "group.share.max.share.sessions, which is 899"
            ),
        ),
        (
            {"log.retention.hours": "0"},
            "log.retention.hours=0: expected -1 (forever) or at least 1",
        ),
    ],
)
def test_what_excludes_each_other_is_refused_with_both_names(
    given: dict[str, object], reported: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        check_at_start(BrokerConfig.load(given))
    assert str(caught.value) == reported


@pytest.mark.parametrize(("less", "more"), [*AT_MOST, *LESS])
def test_either_of_two_can_be_the_one_that_is_wrong(less: str, more: str) -> None:
    usual = BrokerConfig.load({})
    least, most = usual.value(less), usual.value(more)
    assert isinstance(least, int)
    assert isinstance(most, int)
    for given in ({less: most + 1}, {more: least - 1}):
        with pytest.raises(ConfigError):
            check_at_start(BrokerConfig.load(given))
    if (less, more) not in LESS:
        check_at_start(BrokerConfig.load({less: least, more: least}))
