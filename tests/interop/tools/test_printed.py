"""What Kafka's own tools print about the same scene at Apache Kafka 4.3 and at our broker."""

from collections.abc import Iterator

import pytest

from tests.interop.differential.talk import Talk
from tests.interop.differential.verdict import compare
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.kafka_tools import Toolbox
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.printed import (
    cluster,
    consumer_groups,
    share_groups,
    streams_groups,
    transactions,
)
from tests.interop.printed.explained import EXPLAINED
from tests.interop.printed.tool_output import Scene, ToolOutput

pytestmark = [pytest.mark.interop, pytest.mark.java]

SCENES = (
    *(pytest.param(one, marks=pytest.mark.long) for one in consumer_groups.SCENES),
    *cluster.SCENES,
    *share_groups.SCENES,
    *streams_groups.SCENES,
    *transactions.SCENES,
)


@pytest.fixture(scope="module")
def tools() -> Iterator[Toolbox]:
    try:
        with Toolbox() as tools:
            yield tools
    except PeerMissing as missing:
        give_up(missing)


@pytest.mark.parametrize("scene", SCENES, ids=lambda each: each.__name__)
def test_kafkas_tools_print_the_same(
    real_kafka: RealKafka, quick_broker: OurBroker, tools: Toolbox, scene: Scene
) -> None:
    name = scene.__name__
    printed = []
    for broker in (real_kafka, quick_broker):
        address = broker.bootstrap_servers
        output = ToolOutput(tools, Talk(address, name.replace("_", "-")), address)
        scene(output)
        printed.append(output.printed)
    compare(printed[0], printed[1], EXPLAINED.get(name, ()))
