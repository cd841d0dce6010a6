"""Ranges of offsets, where brokers give nothing: within messages of Kafka 0.7's format, and above a quota."""

import pytest

from barnabas import Producer
from barnabas.client.sync.ranges import RangeReader
from barnabas.protocol.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    AlteredEntity,
    EntityData,
    OpData,
)
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.columns import ColumnSelection
from barnabas.records.messages07.message07 import encode_set
from barnabas.testing import EmbeddedBroker
from tests.migration_peers import values_of
from tests.unit.broker.raw_client import RawClient
from tests.wires.wire07 import Wire07

pytestmark = pytest.mark.kernels

VALUES = [b"dog %d" % number for number in range(30)]


@pytest.mark.parametrize("isolation", ["read_uncommitted", "read_committed"])
def test_any_cut_gives_each_message_once(isolation: str) -> None:
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,OLD://127.0.0.1:0",
        "listener.dialect.map": "OLD:kafka-0.7",
    }
    with EmbeddedBroker(config) as broker, Wire07(broker.port_of("OLD")) as wire:
        for first in range(0, 30, 10):
            wire.produce(
                "dogs", 0, encode_set(VALUES[first : first + 10], codec=Codec(first // 10))
            )
        (end,) = wire.offsets("dogs", 0, -1, 1)
        reader = RangeReader(
            {
                "bootstrap.servers": broker.bootstrap_servers,
                "isolation.level": isolation,
                "fetch.max.wait.ms": 1,
                # Nothing is waited for.
                "default.api.timeout.ms": 20_000,
            }
        )
        for step in (1, 7, 100, end):
            found = []
            for start in range(0, end, step):
                for part in reader.read(
                    "dogs", 0, start, min(end, start + step), ColumnSelection.VALUE
                ):
                    assert part.value is not None
                    found += values_of(part.value)
            assert found == VALUES, step
        reader.close()


def test_a_client_whose_quota_is_used_up_waits_and_goes_on() -> None:
    with EmbeddedBroker({"quota.window.num": "2"}) as broker, RawClient(broker.port) as admin:
        broker.create_topic("t", 1)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for value in VALUES:
                producer.send("t", value + bytes(1000)).result(20)
        anybody = EntityData(entity_type="client-id", entity_name=None)
        limit = OpData(key="consumer_byte_rate", value=25_000, remove=False)
        request = AlterClientQuotasRequest(
            entries=[AlteredEntity(entity=[anybody], ops=[limit])], validate_only=False
        )
        assert admin.ask(request, 1, AlterClientQuotasResponse).entries[0].error_code == 0
        reader = RangeReader({"bootstrap.servers": broker.bootstrap_servers}, fetch_bytes=5000)
        assert reader.count("t", 0, 0, 30) == 30
        reader.close()
