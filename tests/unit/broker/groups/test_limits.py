import pytest

from barnabas.broker.groups.limits import check_limits
from barnabas.broker.groups.streams_policies import streams_policy
from barnabas.broker.shares.policies import share_policy
from barnabas.config.broker import BrokerConfig
from barnabas.errors import BrokerError, ErrorCode

CONFIG = BrokerConfig.load(
    {
        "group.streams.heartbeat.interval.ms": "700",
        "group.streams.min.heartbeat.interval.ms": "500",
        "group.streams.max.standby.replicas": "3",
        "group.share.heartbeat.interval.ms": "700",
        "group.share.min.record.lock.duration.ms": "1000",
        "group.share.max.delivery.count.limit": "20",
        "group.consumer.max.session.timeout.ms": "50000",
    }
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("streams.heartbeat.interval.ms", 499),
        ("streams.session.timeout.ms", 44_999),
        ("streams.assignment.interval.ms", 15_001),
        ("streams.num.standby.replicas", 4),
        ("consumer.session.timeout.ms", 50_001),
        ("share.session.timeout.ms", 60_001),
        ("share.heartbeat.interval.ms", 4_999),
        ("share.assignment.interval.ms", 15_001),
        ("share.record.lock.duration.ms", 999),
        ("share.delivery.count.limit", 21),
        ("share.partition.max.record.locks", 99),
    ],
)
def test_a_group_may_not_have_what_the_broker_does_not_let_it(name: str, value: int) -> None:
    with pytest.raises(BrokerError) as caught:
        check_limits(CONFIG, {name: str(value)})
    assert caught.value.code is ErrorCode.INVALID_CONFIG


def test_a_streams_group_obeys_its_own_properties_before_the_brokers() -> None:
    own = {
        "streams.session.timeout.ms": "50000",
        "streams.num.standby.replicas": "3",
        "streams.initial.rebalance.delay.ms": "0",
    }
    check_limits(CONFIG, own)
    found = streams_policy(CONFIG, own)
    assert (found.session_ms, found.heartbeat_ms) == (50_000, 700)
    assert (found.standbys, found.initial_delay_ms) == (3, 0)
    assert streams_policy(CONFIG, {}).initial_delay_ms == 3000
    beyond = {"streams.num.standby.replicas": "7"}
    assert streams_policy(CONFIG, beyond).standbys == 3, "the broker allowed more when it was set"


def test_a_share_group_obeys_its_own_properties_before_the_brokers() -> None:
    own = {"share.record.lock.duration.ms": "1000", "share.delivery.count.limit": "20"}
    check_limits(CONFIG, own)
    found = share_policy(CONFIG, own)
    assert (found.limits.lock_ms, found.limits.deliveries) == (1000, 20)
    assert found.settings.heartbeat_ms == 700
    beyond = {"share.record.lock.duration.ms": "60001"}
    assert share_policy(CONFIG, beyond).limits.lock_ms == 60_000
