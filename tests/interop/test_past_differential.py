"""The same requests to Kafka of a release and to our broker under its profile."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.interop.differential import past
from tests.interop.differential.explained_past import EXPLAINED
from tests.interop.differential.past import PastTalk
from tests.interop.differential.properties import past_topic_properties
from tests.interop.differential.verdict import compare
from tests.interop.peers import generations
from tests.interop.peers.brokers.old_kafka import OldKafka
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

SCENARIOS = (*past.SCENARIOS, past_topic_properties)

Kafka = OldKafka | RealKafka
RELEASES: dict[str, Callable[[], Kafka]] = {
    "0.8.2": partial(OldKafka, generations.KAFKA_0_8_2),
    "0.9.0": partial(OldKafka, generations.KAFKA_0_9),
    "0.10.2": partial(OldKafka, generations.KAFKA_0_10),
    "0.11.0": partial(OldKafka, generations.KAFKA_0_11),
    "1.1": partial(OldKafka, generations.KAFKA_1),
    "2.8": partial(OldKafka, generations.KAFKA_2_8),
    "3.9": partial(RealKafka, peer=generations.KAFKA_3_9, heap="256m"),
}


@pytest.fixture(scope="module", params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def brokers(release: str) -> Iterator[tuple[Kafka, OurBroker]]:
    try:
        with RELEASES[release]() as theirs, OurBroker(profile=release) as ours:
            yield theirs, ours
    except PeerMissing as missing:
        give_up(missing)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_the_answers_are_those_of_the_release(
    brokers: tuple[Kafka, OurBroker], release: str, scenario: Callable[[PastTalk], None]
) -> None:
    name = scenario.__name__
    given = []
    for broker in brokers:
        talk = PastTalk(broker.bootstrap_servers, name.replace("_", "-"), release)
        scenario(talk)
        given.append(talk.answers)
    explained = EXPLAINED.get((release, name), ())
    compare(given[0], given[1], explained)
