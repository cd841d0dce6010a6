import subprocess
import sys

from barnabas.protocol.api_keys import APIS, ApiKey
from barnabas.protocol.declared import DECLARED


def test_what_is_spoken_is_declared_too() -> None:
    assert DECLARED.items() >= APIS.items()
    assert str(DECLARED[ApiKey.JOIN_GROUP].versions) == "0-9"


def test_a_broker_does_not_import_what_it_does_not_speak() -> None:
    code = "import sys, barnabas.broker.server; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "barnabas.protocol.api_keys" in ran.stdout.split()
    assert not {"barnabas.protocol.declared", "barnabas.protocol.join_group"} & set(
        ran.stdout.split()
    )
