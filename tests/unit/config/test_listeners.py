import logging

import pytest

from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint, advertised, dialect_of, listeners
from barnabas.errors import ConfigError


def test_reads_names_hosts_and_ports() -> None:
    config = BrokerConfig.load(
        {
            "listeners": "PLAINTEXT://:9092, inner://[::1]:0",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT, Inner:plaintext",
        }
    )
    assert listeners(config) == [Endpoint("PLAINTEXT", "", 9092), Endpoint("INNER", "::1", 0)]


def test_the_controllers_listener_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    config = BrokerConfig.load(
        {
            "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093",
            "controller.listener.names": "CONTROLLER",
        }
    )
    assert listeners(config) == [Endpoint("PLAINTEXT", "", 9092)]
    (reported,) = caplog.messages
    assert reported.startswith("listener CONTROLLER://:9093 stays closed")


def test_a_name_may_have_a_port_of_an_ipv4_and_of_an_ipv6_address() -> None:
    config = BrokerConfig.load({"listeners": "PLAINTEXT://127.0.0.1:9092,PLAINTEXT://[::1]:9092"})
    both = [Endpoint("PLAINTEXT", "127.0.0.1", 9092), Endpoint("PLAINTEXT", "::1", 9092)]
    assert listeners(config) == both
    assert advertised(config, both) == {"PLAINTEXT": both[0]}


@pytest.mark.parametrize(
    "text",
    [
        "PLAINTEXT",
        "PLAINTEXT://host",
        "PLAINTEXT://:70000",
        "://:x",
        "A://:1,A://:2",
        "A://127.0.0.1:1,A://[::1]:2",
        "A://127.0.0.1:1,A://127.0.0.2:1",
        "A://dogs.example:1,A://[::1]:1",
        "A://127.0.0.1:1,A://[::1]:1,A://[::2]:1",
        "",
    ],
)
def test_refuses_what_it_cannot_read(text: str) -> None:
    with pytest.raises(ConfigError, match="listeners"):
        listeners(BrokerConfig.load({"listeners": text}))


@pytest.mark.parametrize(
    ("listener", "protocols", "why"),
    [
        ("SSL://:1", None, "=SSL://…: TLS and SASL are not supported yet, only PLAINTEXT is"),
        ("SASL_PLAINTEXT://:1", None, "=SASL_PLAINTEXT://…: TLS and SASL are not"),
        ("PLAINTEXT://:0,SAFE://:1", "PLAINTEXT:PLAINTEXT,SAFE:SASL_SSL", "SAFE is SASL_SSL: TLS"),
        ("PLAINTEXT://:1", "PLAINTEXT:SSL", "PLAINTEXT is SSL"),
        ("FOO://:1", None, "has no entry for FOO; add FOO:PLAINTEXT"),
        ("PLAINTEXT://:1", "INNER:PLAINTEXT", "has no entry for PLAINTEXT"),
        ("PLAINTEXT://:1", "PLAINTEXT:TLS", "map=PLAINTEXT:TLS: expected"),
        ("PLAINTEXT://:1", "PLAINTEXT", "map=PLAINTEXT: expected"),
        ("PLAINTEXT://:1", "PLAINTEXT:PLAINTEXT,plaintext:SSL", "PLAINTEXT occurs twice"),
    ],
)
def test_no_port_is_opened_plainly_that_was_asked_for_otherwise(
    listener: str, protocols: str | None, why: str
) -> None:
    given = {"listeners": listener}
    if protocols is not None:
        given["listener.security.protocol.map"] = protocols
    with pytest.raises(ConfigError, match=why):
        listeners(BrokerConfig.load(given))


def test_what_is_advertised_of_a_controllers_listener_is_passed_over() -> None:
    config = BrokerConfig.load(
        {
            "advertised.listeners": "PLAINTEXT://dogs.example:9092,CONTROLLER://dogs.example:9093",
            "controller.listener.names": "CONTROLLER",
        }
    )
    assert advertised(config, [Endpoint("PLAINTEXT", "", 9092)]) == {
        "PLAINTEXT": Endpoint("PLAINTEXT", "dogs.example", 9092)
    }


def test_clients_receive_a_host_and_the_bound_port() -> None:
    bound = [Endpoint("PLAINTEXT", "0.0.0.0", 40001), Endpoint("INNER", "10.0.0.1", 40002)]
    assert advertised(BrokerConfig(), bound) == {
        "PLAINTEXT": Endpoint("PLAINTEXT", "localhost", 40001),
        "INNER": Endpoint("INNER", "10.0.0.1", 40002),
    }
    outside = BrokerConfig.load({"advertised.listeners": "PLAINTEXT://dogs.example:0"})
    assert advertised(outside, bound)["PLAINTEXT"] == Endpoint("PLAINTEXT", "dogs.example", 40001)


@pytest.mark.parametrize("text", ["OTHER://x:1", "PLAINTEXT://:1", "PLAINTEXT://0.0.0.0:1"])
def test_advertised_listeners_must_name_a_listener_and_a_host(text: str) -> None:
    config = BrokerConfig.load({"advertised.listeners": text})
    with pytest.raises(ConfigError, match="advertised.listeners"):
        advertised(config, [Endpoint("PLAINTEXT", "localhost", 1)])


def test_a_listener_may_speak_another_wire() -> None:
    config = BrokerConfig.load(
        {
            "listeners": "PLAINTEXT://:1,Old://:2,NEW://:3",
            "listener.dialect.map": "old:kafka-0.7, NEW : proposal",
        }
    )
    names = [endpoint.name for endpoint in listeners(config)]
    assert [(name, dialect_of(config, name)) for name in names] == [
        ("PLAINTEXT", "kafka"), ("OLD", "kafka-0.7"), ("NEW", "proposal"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["PLAINTEXT", "PLAINTEXT:kafka-0.6", ":kafka", "A:kafka,a:proposal"]
)
def test_a_dialect_that_nobody_speaks_is_refused(text: str) -> None:
    config = BrokerConfig.load({"listener.dialect.map": text})
    with pytest.raises(ConfigError, match=r"listener\.dialect\.map="):
        listeners(config)
