"""Orders as Kafka 4.3 was seen to list them."""

import pytest

from barnabas.broker.quotas.hash_order import hash_of_entity, hash_of_text, in_hash_order

Parts = dict[str, str | None]

ENTITIES: list[Parts] = [
    {"user": "u1"},
    {"user": "user-7"},
    {"ip": "127.0.0.9"},
    {"user": "user-6"},
    {"user": "user-3"},
    {"user": None, "client-id": "c1"},
    {"user": "user-4"},
    {"ip": None},
    {"user": "user-2"},
    {"user": "user-5"},
    {"user": "u1", "client-id": None},
    {"user": "u1", "client-id": "c1"},
    {"client-id": "c1"},
    {"user": None},
    {"client-id": None},
    {"user": "user-1"},
    {"user": "u2", "client-id": "c2"},
    {"user": None, "client-id": None},
]


def test_entities_with_quotas() -> None:
    assert in_hash_order(ENTITIES, hash_of_entity) == ENTITIES
    # Three pairs have one place each: whoever came first is first.
    shared: list[Parts] = [
        {"user": "u1"},
        {"user": None, "client-id": "c1"},
        {"user": "u2", "client-id": "c2"},
    ]
    turned = in_hash_order(ENTITIES[::-1], hash_of_entity)
    for first in shared:
        at = ENTITIES.index(first)
        assert turned[at : at + 2] == ENTITIES[at : at + 2][::-1]
        turned[at : at + 2] = ENTITIES[at : at + 2]
    assert turned == ENTITIES


@pytest.mark.parametrize(
    "keys",
    [
        ["producer_byte_rate"],
        ["consumer_byte_rate", "producer_byte_rate"],
        ["consumer_byte_rate", "controller_mutation_rate", "request_percentage"],
        [
            "producer_byte_rate",
            "consumer_byte_rate",
            "controller_mutation_rate",
            "request_percentage",
        ],
        ["client-id", "user"],
    ],
)
def test_keys(keys: list[str]) -> None:
    assert in_hash_order(sorted(keys), hash_of_text) == keys
    assert in_hash_order(sorted(keys, reverse=True), hash_of_text) == keys


def test_texts_have_the_hash_that_java_gives_them() -> None:
    assert hash_of_text("") == 0
    assert hash_of_text("abc") == 96354
    # Two units of UTF-16.
    assert hash_of_text("\U0001d11e") == (31 * 0xD834 + 0xDD1E) & 0xFFFFFFFF
    assert hash_of_text("polygenelubricants") == 2**31


def test_the_hash_is_that_of_utf_16_units() -> None:
    assert hash_of_text("") == 0
    assert hash_of_text("hello") == 99162322
    assert hash_of_text("\U0001f600") == 0xD83D * 31 + 0xDE00
