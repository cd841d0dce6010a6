"""kcat, an older librdkafka, with its command-line habits and as the generations before it."""

import json
import shutil

import pytest

from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.confluent import Confluent
from tests.interop.clients.kcat import FRAMED, read_framed
from tests.interop.peers.kcat import run_kcat
from tests.interop.stored_log import stored_batches

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(shutil.which("kcat") is None, reason="needs kcat: apt-get install kcat"),
]


@pytest.mark.parametrize("codec", samples.CODECS)
def test_lines_go_in_and_come_out(broker: InteropBroker, codec: str) -> None:
    topic = broker.new_topic()
    lines = [f"key-{index}\tvalue {index} " + "x" * (index % 50) for index in range(1000)]
    given = "\n".join(lines).encode()
    address = broker.bootstrap_servers
    # A batch of one line does not shrink, and librdkafka then sends it uncompressed: wait for all.
    run_kcat(
        "-b", address, "-P", "-t", topic, "-p", "0", "-K", "\t", "-z", codec,
        "-X", "linger.ms=300", given=given,
    )  # fmt: skip
    stored = stored_batches(broker.data_dir, topic)
    assert {batch.codec for batch in stored} == {samples.CODECS[codec]}
    printed = run_kcat("-b", address, "-C", "-t", topic, "-p", "0", "-K", "\t", "-e", "-q")
    assert printed.decode().splitlines() == lines


def test_any_bytes_and_nulls_are_read(broker: InteropBroker) -> None:
    topic = broker.new_topic()
    sent = [samples.Sample(each.key, each.value, each.timestamp) for each in samples.awkward()]
    Confluent().write(broker.bootstrap_servers, topic, sent, codec="zstd")
    printed = run_kcat(
        "-b", broker.bootstrap_servers, "-C", "-t", topic, "-p", "0", "-e", "-q", "-f", FRAMED
    )
    assert read_framed(printed) == sent


def test_headers_and_tombstones_are_written(broker: InteropBroker) -> None:
    topic = broker.new_topic()
    run_kcat(
        "-b", broker.bootstrap_servers, "-P", "-t", topic, "-p", "0", "-K", ":", "-Z",
        "-H", "who=kcat", "-H", "who=again", given=b"gone:\nhere:value\n",
    )  # fmt: skip
    gone, here = Confluent().read(broker.bootstrap_servers, topic, 2)
    assert (gone.key, gone.value) == (b"gone", None)
    assert (here.key, here.value) == (b"here", b"value")
    assert here.headers == (("who", b"kcat"), ("who", b"again"))


def test_it_lists_topics_and_finds_offsets_by_time(broker: InteropBroker) -> None:
    topic = broker.new_topic(partitions=2)
    Confluent().write(broker.bootstrap_servers, topic, samples.many(100))
    listed = json.loads(run_kcat("-b", broker.bootstrap_servers, "-L", "-J", "-t", topic))
    assert [each["partition"] for each in listed["topics"][0]["partitions"]] == [0, 1]
    asked = f"{topic}:0:{samples.START_MS + 40}"
    answer = run_kcat("-b", broker.bootstrap_servers, "-Q", "-t", asked)
    assert answer.decode().split() == [topic, "[0]", "offset", "40"]
