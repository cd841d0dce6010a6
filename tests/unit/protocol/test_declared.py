import subprocess
import sys

from barnabas.protocol.api_keys import APIS, ApiKey
from barnabas.protocol.declared import DECLARED


def test_every_key_is_declared_under_its_name() -> None:
    assert list(DECLARED) == list(ApiKey)
    assert all(api.key is key for key, api in DECLARED.items())
    assert DECLARED.items() >= APIS.items()
    assert str(DECLARED[ApiKey.JOIN_GROUP].versions) == "0-9"
    assert DECLARED[ApiKey.VOTE].name == "Vote"


def test_what_is_no_key_is_not_declared() -> None:
    assert 95 not in DECLARED


def test_a_broker_does_not_import_what_it_does_not_speak() -> None:
    code = "import sys, barnabas.broker.server.broker_server; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(ran.stdout.split())
    spoken = {
        f"barnabas.protocol.{key.name.lower()}"
        for key in ApiKey
        if key in APIS or f"barnabas.broker.apis.{key.name.lower()}" in imported
    }
    assert len(spoken) == len(APIS)
    others = {f"barnabas.protocol.{key.name.lower()}" for key in ApiKey} - spoken
    assert spoken <= imported
    assert not others & imported
