from typing import cast

from barnabas.broker.quotas.quotas import FETCH, MUTATION, PRODUCE, REQUEST, Entity, Quotas
from barnabas.broker.quotas.throttling import Throttling
from barnabas.config.broker import BrokerConfig
from barnabas.ports import Clock
from tests.unit.broker.changes import write_quotas
from tests.unit.broker.in_memory import MemoryRegistry


class Watch:
    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


def throttling(watch: Watch, entity: Entity, **values: float) -> Throttling:
    quotas = Quotas(MemoryRegistry())
    write_quotas(quotas, entity, values)
    return Throttling(quotas, BrokerConfig(), cast("Clock", watch))


def test_a_client_without_a_quota_never_waits() -> None:
    counts = throttling(Watch(), Entity(None, "other"), **{PRODUCE: 1.0, REQUEST: 1.0})
    assert counts.produced("c", 10**9) == 0
    assert counts.worked("c", 100.0) == 0
    assert counts.most_to_fetch("c") is None


def test_a_producer_waits_as_long_as_it_was_too_fast() -> None:
    watch = Watch()
    counts = throttling(watch, Entity(None, "c"), **{PRODUCE: 100.0})
    assert counts.produced("c", 1000) == 0
    assert counts.produced("c", 500) == 5000
    watch.now += 5
    assert counts.produced("c", 0) == 5000
    watch.now += 6
    assert counts.produced("c", 0) == 0


def test_a_wait_is_no_longer_than_a_response_can_say() -> None:
    counts = throttling(Watch(), Entity(None, "c"), **{PRODUCE: 1e-9})
    assert counts.produced("c", 10**9) == 2**31 - 1


def test_clients_of_one_user_share_its_quota() -> None:
    counts = throttling(Watch(), Entity("ANONYMOUS"), **{PRODUCE: 100.0})
    assert counts.produced("one", 1000) == 0
    assert counts.produced("two", 1000) == 10_000


def test_clients_under_a_default_have_a_quota_each() -> None:
    counts = throttling(Watch(), Entity(None, ""), **{PRODUCE: 100.0})
    assert counts.produced("one", 1000) == 0
    assert counts.produced("two", 1000) == 0


def test_what_a_consumer_does_not_get_does_not_count() -> None:
    counts = throttling(Watch(), Entity(None, "c"), **{FETCH: 100.0})
    assert counts.most_to_fetch("c") == 1000
    assert counts.fetched("c", 1000) == 0
    assert counts.fetched("c", 1000) == 10_000
    assert counts.fetched("c", 1000) == 10_000


def test_a_wait_for_the_time_of_the_broker_is_at_most_a_sample() -> None:
    counts = throttling(Watch(), Entity(None, "c"), **{REQUEST: 1.0})
    assert counts.worked("c", 0.1) == 0
    assert counts.worked("c", 0.005) == 500
    assert counts.worked("c", 100.0) == 1000


def test_changes_of_partitions_come_out_of_a_bucket() -> None:
    watch = Watch()
    counts = throttling(watch, Entity(None, "c"), **{MUTATION: 2.0})
    assert counts.mutated("c", 22) == 0
    assert counts.owes_mutations("c") == 0
    assert counts.mutated("c", 4) == 2000
    watch.now += 1
    assert counts.owes_mutations("c") == 1000


def test_connections_of_an_address_are_counted_as_they_are_let_in() -> None:
    watch = Watch()
    counts = throttling(watch, Entity(address="h"), connection_creation_rate=1.0)
    assert [counts.connected("h") for _ in range(10)] == [0] * 10
    assert counts.connected("h") == 1000
    assert counts.connected("h") == 1000
    assert counts.connected("other") == 0
