import hashlib
import hmac
from base64 import b64decode

import pytest

from barnabas.broker.properties.scram_credentials import (
    Credential,
    Mechanism,
    change_credential,
    credentials_of,
    users_with_credentials,
)
from barnabas.broker.quotas.quotas import Entity, Quotas
from barnabas.errors import StorageError
from tests.unit.broker.changes import write_quotas
from tests.unit.broker.in_memory import MemoryRegistry

SALT = b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
NONCE = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
AUTH_MESSAGE = (
    f"n=user,r=rOprNGfwEbeRWgbNEkqO,r={NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r={NONCE}"
).encode()


def of(password: bytes, mechanism: Mechanism = Mechanism.SHA_256) -> Credential:
    salted = hashlib.pbkdf2_hmac(mechanism.digest, password, SALT, 4096)
    return Credential.derived(mechanism, SALT, salted, 4096)


def test_the_keys_are_those_of_the_conversation_in_rfc_7677() -> None:
    credential = of(b"pencil")
    proof = b64decode("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
    signature = hmac.digest(credential.stored_key, AUTH_MESSAGE, "sha256")
    client_key = bytes(one ^ other for one, other in zip(proof, signature, strict=True))
    assert hashlib.sha256(client_key).digest() == credential.stored_key
    signed = hmac.digest(credential.server_key, AUTH_MESSAGE, "sha256")
    assert signed == b64decode("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")


@pytest.mark.parametrize(
    ("mechanism", "title", "size"),
    [(Mechanism.SHA_256, "SCRAM-SHA-256", 32), (Mechanism.SHA_512, "SCRAM-SHA-512", 64)],
)
def test_a_credential_is_read_as_it_was_written(
    mechanism: Mechanism, title: str, size: int
) -> None:
    credential = of(b"secret", mechanism)
    assert mechanism.title == title
    assert len(credential.stored_key) == len(credential.server_key) == size
    assert Credential.parse(credential.text) == credential


def test_passwords_and_quotas_of_a_user_leave_each_other_alone() -> None:
    registry = MemoryRegistry()
    me = Entity(user="me")
    change_credential(registry, "me", Mechanism.SHA_256, of(b"a"))
    write_quotas(Quotas(registry), me, {"producer_byte_rate": 5.0})
    change_credential(registry, "me", Mechanism.SHA_512, of(b"b", Mechanism.SHA_512))
    assert credentials_of(registry, "me").keys() == set(Mechanism)
    assert dict(Quotas(registry)) == {me: {"producer_byte_rate": 5.0}}
    write_quotas(Quotas(registry), me, {"producer_byte_rate": None})
    assert users_with_credentials(registry) == ["me"]
    for mechanism in Mechanism:
        change_credential(registry, "me", mechanism, None)
    assert registry.children("/config/users") == []


def test_damage_is_reported() -> None:
    registry = MemoryRegistry()
    for text in ("salt=*,stored_key=,server_key=,iterations=1", "salt=YQ==", "nonsense"):
        registry.set("/config/users/me", b'{"config": {"SCRAM-SHA-256": "%s"}}' % text.encode())
        with pytest.raises(StorageError, match="/config/users/me"):
            credentials_of(registry, "me")
