"""`barnabas top` of a Kafka that we did not write, written to by a client of others, and of ours."""

import pytest
from confluent_kafka import Producer as TheirProducer

from barnabas import Admin
from barnabas.cli.top.rates import rates_between
from barnabas.cli.top.sample import take_sample
from barnabas.runtime.clock import SystemClock
from tests.interop.brokers import InteropBroker

pytestmark = pytest.mark.interop


def test_rates_are_what_others_wrote(group_broker: InteropBroker) -> None:
    servers = group_broker.bootstrap_servers
    topic = group_broker.new_topic(partitions=3)
    theirs = TheirProducer({"bootstrap.servers": servers})
    with Admin(bootstrap_servers=servers) as admin:
        before = take_sample(admin, SystemClock(), internal=False)
        for number in range(90):
            theirs.produce(topic, b"x" * 100, partition=number % 3)
        assert theirs.flush(60) == 0
        rates = rates_between(before, take_sample(admin, SystemClock(), internal=False), "records")
    assert rates.problems == ()
    busiest = rates.topics[0]
    assert (busiest.topic, busiest.partitions) == (topic, 3)
    assert round(busiest.records_per_s * rates.seconds) == 90
    assert busiest.bytes_per_s is not None
    assert busiest.bytes_per_s * rates.seconds > 90 * 100
    assert [one.controller for one in rates.brokers] == [True]
