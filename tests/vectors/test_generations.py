"""A profile answers a script of requests as the Kafka of that release did."""

from pathlib import Path

import pytest

from barnabas.testing import EmbeddedBroker
from tests.vectors.generations import conversation

pytestmark = pytest.mark.kernels

ANSWERS = sorted(Path(__file__).with_name("answers").glob("kafka-*.txt"))


@pytest.mark.parametrize("file", ANSWERS, ids=lambda each: each.stem)
def test_a_profile_answers_as_the_release_did(file: Path) -> None:
    release = file.stem.removeprefix("kafka-")
    lines = file.read_text(encoding="utf-8").splitlines()
    config = {"message.max.bytes": 1000, "log.retention.ms": -1}
    with EmbeddedBroker(config, profile=release) as broker:
        ours = list(conversation(release, broker.bootstrap_servers))
    assert ours == [line for line in lines if not line.startswith("#")]


def test_there_are_ten_generations() -> None:
    assert len(ANSWERS) == 10
