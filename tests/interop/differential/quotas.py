"""Scripts about client quotas."""

from collections.abc import Mapping, Sequence
from itertools import islice, permutations

from barnabas.protocol.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlteredEntity,
    EntityData,
    OpData,
)
from barnabas.protocol.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)
from tests.interop.differential.talk import Talk

EXACT, DEFAULT, ANY = 0, 1, 2


def client_quotas(talk: Talk) -> None:
    """Quotas set, asked for in every way, refused, and removed."""
    user, client = talk.topic("user"), talk.topic("client")
    _set(talk, user, client)
    _refuse(talk, user, client)
    _ask(talk, user, client)
    _remove(talk, user, client)


def _entities(user: str, client: str) -> dict[str, dict[str, str | None]]:
    return {
        "a user": {"user": user},
        "a client": {"client-id": client},
        "both": {"user": user, "client-id": client},
        "clients of a user": {"user": user, "client-id": None},
        "a client of users": {"user": None, "client-id": client},
        "users": {"user": None},
        "clients": {"client-id": None},
        "clients of users": {"user": None, "client-id": None},
    }


def _altered(
    entity: Mapping[str, str | None] | Sequence[tuple[str, str | None]],
    values: Mapping[str, float | None] | Sequence[tuple[str, float | None]],
    *,
    validate_only: bool = False,
) -> AlterClientQuotasRequest:
    parts = entity.items() if isinstance(entity, Mapping) else entity
    ops = values.items() if isinstance(values, Mapping) else values
    return AlterClientQuotasRequest(
        entries=[
            AlteredEntity(
                entity=[EntityData(entity_type=kind, entity_name=name) for kind, name in parts],
                ops=[
                    OpData(key=key, value=value or 0.0, remove=value is None) for key, value in ops
                ],
            )
        ],
        validate_only=validate_only,
    )


def _set(talk: Talk, user: str, client: str) -> None:
    wide = {"producer_byte_rate": 1e12, "consumer_byte_rate": 2e12, "request_percentage": 1e6}
    for label, entity in _entities(user, client).items():
        talk.ask(f"{label}, validated", _altered(entity, wide, validate_only=True), 1)
        talk.ask(f"{label}, set", _altered(entity, wide), 1)
    talk.ask("in version 0", _altered({"user": user}, {"controller_mutation_rate": 1e6}), 0)
    talk.ask("an address", _altered({"ip": "127.0.0.9"}, {"connection_creation_rate": 100.0}), 1)


def _refuse(talk: Talk, user: str, client: str) -> None:
    rate = {"producer_byte_rate": 5000.0}
    for label, request in {
        "no entity": _altered({}, rate),
        "unknown kind of entity": _altered({"group": "g"}, rate),
        "empty name": _altered({"user": ""}, rate),
        "empty client": _altered({"client-id": ""}, rate),
        "kind twice": _altered([("user", user), ("user", "other")], rate),
        "address and user": _altered({"ip": "127.0.0.1", "user": user}, rate),
        "address and rate": _altered({"ip": "127.0.0.1"}, rate),
        "no address": _altered({"ip": "no such host.invalid"}, {"connection_creation_rate": 1.0}),
        "user and connections": _altered({"user": user}, {"connection_creation_rate": 1.0}),
        "unknown quota": _altered({"user": user}, {"bytes": 1.0}),
        "unknown quota removed": _altered({"user": user}, {"bytes": None}),
        "zero": _altered({"user": user}, {"producer_byte_rate": 0.0}),
        "negative": _altered({"user": user}, {"producer_byte_rate": -1.0}),
        "fraction of a byte": _altered({"user": user}, {"producer_byte_rate": 10.5}),
        "fraction of a percent": _altered({"client-id": client}, {"request_percentage": 1e6 + 0.5}),
        "too much": _altered({"user": user}, {"producer_byte_rate": 1e19}),
        "infinite": _altered({"user": user}, {"producer_byte_rate": float("inf")}),
        "quota twice": _altered(
            {"user": talk.topic("twice")},
            [("producer_byte_rate", 1e11), ("producer_byte_rate", 2e11)],
        ),
        "no changes": _altered({"user": talk.topic("none")}, {}),
        "removal of nothing": _altered({"user": talk.topic("none")}, {"producer_byte_rate": None}),
        "nothing": AlterClientQuotasRequest(entries=[], validate_only=False),
    }.items():
        talk.ask(label, request, 1)
    same = _altered({"user": talk.topic("same")}, rate).entries * 2
    talk.ask("entity twice", AlterClientQuotasRequest(entries=same, validate_only=True), 1)


def _ask(talk: Talk, user: str, client: str) -> None:
    def asked(
        *parts: tuple[str, int, str | None], strict: bool = False
    ) -> DescribeClientQuotasRequest:
        return DescribeClientQuotasRequest(
            components=[
                ComponentData(entity_type=kind, match_type=how, match=name)
                for kind, how, name in parts
            ],
            strict=strict,
        )

    # What is changed last is seen last.
    address = ("ip", EXACT, "127.0.0.9")
    talk.ask("an address again", _altered({"ip": address[2]}, {"connection_creation_rate": 200}), 1)
    talk.wait(
        asked(address),
        1,
        lambda response: [value.value for one in response.entries for value in one.values] == [200],
    )
    for strict in (True, False):
        for label, parts in {
            "all": (),
            "a user": (("user", EXACT, user),),
            "users": (("user", DEFAULT, None),),
            "any user": (("user", ANY, None),),
            "a client": (("client-id", EXACT, client),),
            "clients": (("client-id", DEFAULT, None),),
            "any client": (("client-id", ANY, None),),
            "both": (("user", EXACT, user), ("client-id", EXACT, client)),
            "a user, any client": (("user", EXACT, user), ("client-id", ANY, None)),
            "any user and client": (("user", ANY, None), ("client-id", ANY, None)),
            "an address": (("ip", EXACT, "127.0.0.9"),),
            "any address": (("ip", ANY, None),),
            "unknown user": (("user", EXACT, "nobody"),),
            "unknown kind": (("group", EXACT, "g"),),
            "empty kind": (("", EXACT, "g"),),
            "kind twice": (("user", EXACT, user), ("user", EXACT, user)),
            "address and user": (("ip", EXACT, "127.0.0.9"), ("user", EXACT, user)),
            "unknown match": (("user", 7, user),),
            "no name to match": (("user", EXACT, None),),
            "a name for the default": (("user", DEFAULT, user),),
            "a name for any": (("user", ANY, user),),
        }.items():
            for version in (0, 1):
                response = f"{label} asked for in {version}, {'strict' if strict else 'loose'}"
                talk.ask(response, asked(*parts, strict=strict), version)


def _remove(talk: Talk, user: str, client: str) -> None:
    gone = dict.fromkeys(("producer_byte_rate", "consumer_byte_rate", "request_percentage"))
    for label, entity in _entities(user, client).items():
        talk.ask(f"{label}, removed", _altered(entity, gone), 1)
    talk.ask(
        "an address, removed", _altered({"ip": "127.0.0.9"}, {"connection_creation_rate": None}), 1
    )

    everything = DescribeClientQuotasRequest(components=[], strict=False)
    talk.wait(
        everything,
        1,
        lambda response: (
            not any(part.entity_type == "ip" for e in response.entries for part in e.entity)
        ),
    )
    talk.ask("what is left", everything, 1)
    # While anybody has a quota, a broker takes requests one by one: those of later tests, too.
    talk.ask("version 0, removed", _altered({"user": user}, {"controller_mutation_rate": None}), 1)
    talk.ask("kind twice, removed", _altered({"user": "other"}, {"producer_byte_rate": None}), 1)


def quotas_in_order(talk: Talk) -> None:
    """Entities, their parts and their quotas in the order in which they are returned."""
    keys = (
        "producer_byte_rate",
        "consumer_byte_rate",
        "request_percentage",
        "controller_mutation_rate",
    )
    users: list[str | None] = [talk.topic(str(number)) for number in range(9)]
    entities = [
        *({"user": user} for user in users),
        *({"client-id": user} for user in users[::-2]),
        {"user": users[0], "client-id": users[1]},
        {"client-id": users[1], "user": users[2]},
        {"user": users[3], "client-id": None},
        {"user": None, "client-id": users[4]},
    ]
    for number, entity in enumerate(entities):
        first = number % 4
        for wanted in islice(permutations(keys, 1 + first), first, first + 1 + number % 3):
            response = talk.wait(_altered(entity, dict.fromkeys(wanted, 1e12)), 1, lambda _: True)
            talk.answers[f"set {number} {wanted}"] = str(response.entries[0].entity)
    # What is changed last is seen last.
    value = 2e12
    talk.wait(_altered(entities[-1], {keys[0]: value}), 1, lambda _: True)

    def is_seen(response: DescribeClientQuotasResponse) -> bool:
        values = [one.value for each in response.entries or () for one in each.values]
        return value in values

    asked = DescribeClientQuotasRequest(components=[], strict=False)
    recorded = talk.wait(asked, 1, is_seen).entries
    talk.answers["returned"] = str(
        [(one.entity, [value.key for value in one.values]) for one in recorded]
    )
    gone = [_altered(entity, dict.fromkeys(keys)).entries[0] for entity in entities]
    response = talk.wait(AlterClientQuotasRequest(entries=gone, validate_only=False), 1, bool)
    talk.answers["removed"] = str([(one.entity, one.error_code) for one in response.entries])


SCENARIOS = (client_quotas, quotas_in_order)
