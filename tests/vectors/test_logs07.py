"""A directory of another server of Kafka 0.7's files, served to clients of 0.7 and of today."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas import Consumer
from barnabas.records.messages07.message07 import read_messages
from barnabas.testing import EmbeddedBroker
from tests.wires.wire07 import Wire07

HERE = Path(__file__).with_name("logs07")
KNOWN = json.loads((HERE / "records.json").read_text())
Row = tuple[int, int, int, int, bytes]
MESSAGES: list[Row] = [(*row[:4], row[4].encode("latin-1")) for row in KNOWN["messages"]]
PARTITIONS = [0, 1]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[EmbeddedBroker]:
    directory = tmp_path / "log"
    shutil.copytree(HERE, directory)
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,OLD://127.0.0.1:0",
        "listener.dialect.map": "OLD:kafka-0.7",
    }
    with EmbeddedBroker(config, data_dir=directory) as made:
        yield made


@pytest.mark.parametrize("partition", PARTITIONS)
def test_by_clients_of_07(broker: EmbeddedBroker, partition: int) -> None:
    found: list[bytes] = []
    with Wire07(broker.port_of("OLD")) as wire:
        end = wire.offsets("corpus", partition, -1, 1)[0]
        assert end == KNOWN["log_ends"][partition]
        at = 0
        while at < end:
            code, data = wire.fetch("corpus", partition, at, 500)
            assert not code
            messages, at = read_messages(data, at)
            found += [bytes(one.payload) for one in messages]
    assert found == [row[4] for row in MESSAGES if row[0] == partition]


@pytest.mark.parametrize("partition", PARTITIONS)
def test_by_our_consumer(broker: EmbeddedBroker, partition: int) -> None:
    expected = [(row[1] + row[2], row[4]) for row in MESSAGES if row[0] == partition]
    found: list[tuple[int, bytes | None]] = []
    with Consumer({"bootstrap.servers": broker.bootstrap_servers}) as consumer:
        consumer.assign([("corpus", partition)])
        consumer.seek_to_beginning()
        while len(found) < len(expected):
            polled = consumer.poll(20.0)
            assert polled
            found += [(one.offset, one.value) for one in polled]
    assert found == expected


def test_it_is_written_on(broker: EmbeddedBroker) -> None:
    end = KNOWN["log_ends"][1]
    data = (HERE / "corpus-1/00000000000000000000.jafka").read_bytes()[:27]
    with Wire07(broker.port_of("OLD")) as wire:
        wire.produce("corpus", 1, data)
        assert wire.fetch("corpus", 1, end) == (0, data)
