"""All that any release of Kafka has had is declared, with all its versions."""

from pathlib import Path

from barnabas.protocol.declared import DECLARED

HERE = Path(__file__).parent


def rows(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text().splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


def test_every_api_has_all_versions() -> None:
    declared = [
        [str(int(api.key)), api.name, str(api.versions), str(api.flexible)]
        for api in DECLARED.values()
    ]
    assert declared == rows("apis.txt")
