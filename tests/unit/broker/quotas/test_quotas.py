import tracemalloc

import pytest

from barnabas.broker.properties.scram_credentials import credentials_of
from barnabas.broker.quotas.quotas import DEFAULT, FETCH, PRODUCE, Entity, Quotas
from barnabas.errors import StorageError
from tests.unit.broker.changes import write_quotas
from tests.unit.broker.in_memory import MemoryRegistry


def test_quotas_are_there_again_after_a_restart() -> None:
    registry = MemoryRegistry()
    quotas = Quotas(registry)
    entities = {
        Entity("a/b c"): {PRODUCE: 1.0},
        Entity("a/b c", DEFAULT): {PRODUCE: 2.0},
        Entity(DEFAULT, "<default>"): {PRODUCE: 3.5},
        Entity(None, "\u03b1"): {FETCH: 4.0},
        Entity(address="::1"): {"connection_creation_rate": 5.0},
    }
    for entity, values in entities.items():
        write_quotas(quotas, entity, values)
    assert dict(Quotas(registry)) == entities
    for entity, values in entities.items():
        write_quotas(quotas, entity, dict.fromkeys(values))
    assert dict(Quotas(registry)) == {}


def test_a_change_leaves_the_other_quotas_of_an_entity() -> None:
    quotas = Quotas(MemoryRegistry())
    write_quotas(quotas, Entity("u"), {PRODUCE: 1.0, FETCH: 2.0})
    write_quotas(quotas, Entity("u"), {PRODUCE: None})
    assert dict(quotas) == {Entity("u"): {FETCH: 2.0}}


def test_removing_a_user_leaves_its_clients() -> None:
    registry = MemoryRegistry()
    quotas = Quotas(registry)
    write_quotas(quotas, Entity("u"), {PRODUCE: 1.0})
    write_quotas(quotas, Entity("u", "c"), {PRODUCE: 2.0})
    write_quotas(quotas, Entity("u"), {PRODUCE: None})
    assert dict(Quotas(registry)) == {Entity("u", "c"): {PRODUCE: 2.0}}


def test_the_most_special_entity_decides() -> None:
    quotas = Quotas(MemoryRegistry())
    order = [
        (Entity(None, DEFAULT), Entity(None, "c")),
        (Entity(None, "c"), Entity(None, "c")),
        (Entity(DEFAULT), Entity("u")),
        (Entity(DEFAULT, DEFAULT), Entity("u", "c")),
        (Entity(DEFAULT, "c"), Entity("u", "c")),
        (Entity("u"), Entity("u")),
        (Entity("u", DEFAULT), Entity("u", "c")),
        (Entity("u", "c"), Entity("u", "c")),
    ]
    assert quotas.of_client(PRODUCE, "u", "c") is None
    for bound, (entity, shared_by) in enumerate(order, 1):
        write_quotas(quotas, entity, {PRODUCE: float(bound)})
        assert quotas.of_client(PRODUCE, "u", "c") == (bound, shared_by)
        assert quotas.of_client(FETCH, "u", "c") is None


def test_addresses_do_not_put_clients_under_quotas() -> None:
    quotas = Quotas(MemoryRegistry())
    write_quotas(quotas, Entity(address=DEFAULT), {"connection_creation_rate": 5.0})
    assert quotas.of_address("127.0.0.1") == 5.0
    seen = [quotas.in_force]
    for value in (1.0, None):
        write_quotas(quotas, Entity(None, DEFAULT), {PRODUCE: value})
        seen.append(quotas.in_force)
    assert seen == [False, True, False]


def test_a_damaged_registry_is_reported() -> None:
    registry = MemoryRegistry()
    registry.set("/config/users/u", b'{"config":{"producer_byte_rate":"much"}}')
    with pytest.raises(StorageError, match="/config/users/u"):
        Quotas(registry)


@pytest.mark.parametrize("user", ["u", DEFAULT])
def test_a_user_of_whom_only_a_client_had_a_quota_gets_one_and_may_have_a_password(
    user: str,
) -> None:
    registry = MemoryRegistry()
    quotas = Quotas(registry)
    write_quotas(quotas, Entity(user, "c"), {PRODUCE: 2.0})
    assert credentials_of(registry, user) == {}
    write_quotas(quotas, Entity(user), {PRODUCE: 1.0})
    entities = {Entity(user, "c"): {PRODUCE: 2.0}, Entity(user): {PRODUCE: 1.0}}
    assert dict(quotas) == dict(Quotas(registry)) == entities


def test_clients_with_long_names_are_not_remembered_and_obey_their_quotas() -> None:
    quotas = Quotas(MemoryRegistry())
    write_quotas(quotas, Entity("u", DEFAULT), {PRODUCE: 1.0})
    tracemalloc.start()
    for number in range(1000):
        limit = quotas.of_client(PRODUCE, "u", f"{number:032000}")
        assert limit is not None
        assert limit.bound == 1.0
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1 << 20
