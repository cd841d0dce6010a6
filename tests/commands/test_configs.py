import json
from collections.abc import Iterator

import pytest

from tests.commands.served import Served, serving


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        yield served


def test_properties_of_one_broker_and_of_all(broker: Served) -> None:
    changed = broker.run("configs", "broker", "--set", "log.retention.ms=5000")
    assert changed.lines == ["log.retention.ms\t5000\tall brokers dynamic"]
    one = json.loads(broker.run("configs", "broker", "1", "--all", "--json").out)
    known = {row["property"]: (row["value"], row["source"]) for row in one}
    assert known["log.retention.ms"] == ("5000", "all brokers dynamic")
    assert known["num.io.threads"] == ("8", "default")
    assert broker.run("configs", "broker", "--unset", "log.retention.ms").lines == []
    refused = broker.run("configs", "broker", "--set", "num.partitions=3")
    assert refused.code == 1
    assert "num.partitions cannot be changed while the broker runs" in refused.err
    mistyped = broker.run("configs", "broker", "--unset", "log.retetion.ms")
    assert "did you mean log.retention.ms?" in mistyped.err


def test_what_has_a_name_needs_it(broker: Served) -> None:
    broker.run("topics", "create", "dogs")
    changed = broker.run("configs", "topic", "dogs", "--set", "retention.ms=7")
    assert changed.lines == ["retention.ms\t7\ttopic"]
    subscribed = broker.run("configs", "client-metrics", "all", "--set", "metrics=*")
    assert subscribed.lines == ["metrics\t*\tclient metrics"]
    assert "did you mean dogs?" in broker.run("configs", "topic", "dosg").err
    absent = broker.run("configs", "broker", "77")
    assert (absent.code, absent.err) == (
        1,
        "barnabas: there is no broker 77; these are running: 1\n",
    )
    nameless = broker.run("configs", "group")
    assert nameless.code == 2
    assert "which group?" in nameless.err


def test_quotas_of_a_client_and_of_all_others(broker: Served) -> None:
    set_one = broker.run("quotas", "--client", "me", "--set", "producer_byte_rate=1000000")
    assert set_one.lines == ["\tme\t\tproducer_byte_rate\t1000000"]
    broker.run("quotas", "--client", "*", "--set", "request_percentage=12.5")
    listed = json.loads(broker.run("quotas", "--json").out)
    assert [(row["client"], row["quota"], row["value"]) for row in listed] == [
        ("me", "producer_byte_rate", "1000000"),
        ("*", "request_percentage", "12.5"),
    ]
    assert broker.run("quotas", "--client", "me", "--unset", "producer_byte_rate").lines == []
    assert "a quota must be a number" in broker.run("quotas", "--client", "me", "--set", "x=y").err
    assert broker.run("quotas", "--set", "producer_byte_rate=1").code == 2
