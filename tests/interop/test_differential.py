"""The same requests to Apache Kafka 4.3 and to our broker: equal answers, or a known reason."""

from collections.abc import Callable

import pytest

from tests.interop.differential import (
    administration,
    cluster,
    data,
    internal_topics,
    placement,
    properties,
    quotas,
    resources,
    security,
    transaction_edges,
    transactions,
)
from tests.interop.differential.explained import EXPLAINED
from tests.interop.differential.group_apis import (
    all_kinds,
    consumer_edges,
    consumer_groups,
    deliveries,
    group_edges,
    groups,
    large_records,
    lost_topics,
    pending_offsets,
    share_states,
    sharing,
    streaming,
)
from tests.interop.differential.talk import Talk
from tests.interop.differential.verdict import compare
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka

pytestmark = [pytest.mark.interop, pytest.mark.java]

SCENARIOS = (
    *administration.SCENARIOS,
    *data.SCENARIOS,
    *cluster.SCENARIOS,
    *placement.SCENARIOS,
    properties.topic_properties,
    properties.documentation,
    *quotas.SCENARIOS,
    *groups.SCENARIOS,
    *group_edges.SCENARIOS,
    *large_records.SCENARIOS,
    *consumer_groups.SCENARIOS,
    *consumer_edges.SCENARIOS,
    *all_kinds.SCENARIOS,
    *resources.SCENARIOS,
    *security.SCENARIOS,
    *sharing.SCENARIOS,
    *deliveries.SCENARIOS,
    *share_states.SCENARIOS,
    *lost_topics.SCENARIOS,
    *streaming.SCENARIOS,
    *transactions.SCENARIOS,
    *transaction_edges.SCENARIOS,
    *pending_offsets.SCENARIOS,
    *internal_topics.SCENARIOS,
    *(pytest.param(one, marks=pytest.mark.long) for one in (*transactions.LONG, *streaming.LONG)),
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_the_answers_are_kafkas(
    real_kafka: RealKafka, our_broker: OurBroker, scenario: Callable[[Talk], None]
) -> None:
    name = scenario.__name__
    given = []
    for broker in (real_kafka, our_broker):
        talk = Talk(broker.bootstrap_servers, name.replace("_", "-"))
        scenario(talk)
        given.append(talk.answers)
    compare(given[0], given[1], EXPLAINED.get(name, ()))
