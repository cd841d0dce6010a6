"""Our range reader (what Spark's tasks use) on what others wrote, transactions included."""

import pyarrow as pa
import pytest

from barnabas.client.sync.ranges import RangeReader
from barnabas.errors import BrokerError, ErrorCode
from barnabas.records.columns.arrow import to_arrow
from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.confluent import Confluent
from tests.interop.clients.ours import EVERYTHING, samples_of
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.transactions import write_transactions

pytestmark = pytest.mark.interop


def read_table(address: str, topic: str, start: int, end: int, **config: object) -> pa.Table:
    """The range as one table."""
    reader = RangeReader({"bootstrap.servers": address, **config}, fetch_bytes=50_000)
    parts = [
        pa.table(to_arrow(columns))
        for columns in reader.read(topic, 0, start, end, EVERYTHING)
        if columns.count
    ]
    reader.close()
    return pa.concat_tables(parts)


@pytest.mark.parametrize("codec", samples.CODECS)
def test_any_range_of_any_codec(broker: InteropBroker, codec: str) -> None:
    sent = samples.awkward() + samples.rare() + samples.many(2000)
    topic = broker.new_topic()
    for start in range(0, len(sent), 400):
        Confluent().write(broker.bootstrap_servers, topic, sent[start : start + 400], codec=codec)
    for start, end in ((0, len(sent)), (0, 1), (399, 401), (5, 1234), (len(sent) - 1, len(sent))):
        table = read_table(broker.bootstrap_servers, topic, start, end)
        assert table["offset"].to_pylist() == list(range(start, end))
        assert samples_of(table) == sent[start:end]


def test_a_count_reads_headers_only_and_is_right(broker: InteropBroker) -> None:
    topic = broker.new_topic()
    Confluent().write(broker.bootstrap_servers, topic, samples.many(3000), codec="zstd")
    with_reader = RangeReader({"bootstrap.servers": broker.bootstrap_servers})
    assert with_reader.count(topic, 0, 10, 2990) == 2980
    with_reader.close()


def test_a_range_that_is_gone_is_an_error(broker: InteropBroker) -> None:
    topic = broker.new_topic()
    Confluent().write(broker.bootstrap_servers, topic, samples.many(10))
    with pytest.raises(BrokerError) as raised:
        read_table(broker.bootstrap_servers, topic, 50, 60)
    assert raised.value.code == ErrorCode.OFFSET_OUT_OF_RANGE


@pytest.mark.java
def test_aborted_transactions_are_left_out_where_asked(real_kafka: RealKafka) -> None:
    topic = InteropBroker(real_kafka).new_topic()
    outcomes = [("commit", 100), ("abort", 70), ("commit", 30), ("abort", 1), ("commit", 5)]
    address = real_kafka.bootstrap_servers
    written, committed = write_transactions(address, topic, outcomes)
    end = sum(count + 1 for _, count in outcomes)  # each transaction ends with a marker
    everything = read_table(address, topic, 0, end)
    assert everything["value"].to_pylist() == written
    only = read_table(address, topic, 0, end, **{"isolation.level": "read_committed"})
    assert only["value"].to_pylist() == committed
    # From the middle of an aborted transaction too.
    tail = read_table(address, topic, 120, end, **{"isolation.level": "read_committed"})
    assert tail["value"].to_pylist() == committed[100:]
