"""What a broker does not start with is what Kafka 4.3 does not start with."""

from collections.abc import Iterator, Mapping

import pytest

from barnabas.config.broker import BrokerConfig
from barnabas.config.startup_checks import AT_MOST, LESS, check_at_start
from barnabas.errors import ConfigError
from tests.interop.peers.java_client import java_client
from tests.interop.peers.maven import KAFKA_4

pytestmark = [pytest.mark.interop, pytest.mark.java]


def starts(given: Mapping[str, object]) -> bool:
    try:
        check_at_start(BrokerConfig.load(given))
    except ConfigError:
        return False
    return True


def tried() -> Iterator[dict[str, int]]:
    """Each pair as it is by default, at its edge, and one beyond, from either side."""
    usual = BrokerConfig.load({})
    for less, more in (*AT_MOST, *LESS):
        least, most = usual.value(less), usual.value(more)
        assert isinstance(least, int)
        assert isinstance(most, int)
        yield from ({less: most + beyond} for beyond in (-1, 0, 1))
        yield from ({more: least + beyond} for beyond in (-1, 0, 1))
        yield {less: least, more: least}
    for name in ("log.retention.ms", "log.retention.minutes", "log.retention.hours"):
        yield from ({name: value} for value in (-1, 0, 1))


def test_kafka_refuses_the_same() -> None:
    with java_client(KAFKA_4, {"maystart": "MayStart"}) as kafka:
        assert kafka.may_start({}) == "yes"
        reported = [(given, kafka.may_start(given)) for given in tried()]
    assert len(reported) > 100
    assert sum(sent == "yes" for _, sent in reported) > 20
    unlike = [(given, sent) for given, sent in reported if (sent == "yes") != starts(given)]
    assert not unlike
