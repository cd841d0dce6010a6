"""What real brokers say that they serve is what the table of releases says."""

from pathlib import Path

import pytest

from barnabas.config.releases import release_line
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.releases import ADVERTISED_FROM_ZERO, apis_of

CAPTURED = sorted(Path(__file__).with_name("releases").glob("kafka-*.txt"))
ONLY_WITH_A_PLUGIN = {ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, ApiKey.PUSH_TELEMETRY}
"""Kafka advertises these where a metrics reporter is configured that takes telemetry (KIP-714)."""


@pytest.mark.parametrize("file", CAPTURED, ids=lambda each: each.stem)
def test_a_release_serves_what_it_says(file: Path) -> None:
    release = release_line(file.stem.removeprefix("kafka-"))
    rows = [line.split() for line in file.read_text().splitlines() if not line.startswith("#")]
    captured = {int(key): versions for key, versions in rows}
    reported = {
        int(key): f"{0 if release in ADVERTISED_FROM_ZERO.get(key, ()) else each.first}-{each.last}"
        for key, each in apis_of(release).items()
        if key not in ONLY_WITH_A_PLUGIN
    }
    assert reported == captured


def test_there_are_answers_of_every_generation() -> None:
    lines = {release_line(file.stem.removeprefix("kafka-")) for file in CAPTURED}
    assert lines == {"0.10.2", "0.11.0", "1.1", "2.4", "2.8", "3.9", "4.3"}
