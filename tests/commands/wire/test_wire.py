"""`barnabas wire` as a user runs it: hex, files and captures explained, live conversations relayed."""

import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from kafka import KafkaConsumer, KafkaProducer
from kafka import TopicPartition as PythonPartition

from tests.commands.pages.pages import blocks
from tests.commands.served import BARNABAS, Served, environment, run, serving
from tests.commands.wire.proxied import SECONDS, assert_understood, proxied

METADATA = "00 00 00 15 00 03 00 01 00 00 00 07 00 03 66 6f 6f 00 00 00 01 00 02 61 62"


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        yield served


def test_hex_is_explained() -> None:
    done = run("wire", "explain", *METADATA.split())
    assert (done.code, done.err) == (0, "")
    assert (
        done.lines[0] == "# Metadata request, version 1, correlation id 7, client 'foo', 25 bytes"
    )
    assert "23\t61 62\ttopics[0].name\t'ab'\tUTF-8. The topic." in done.lines
    assert run("wire", "explain", stdin=METADATA).out == done.out
    assert run("wire", "explain", stdin=bytes.fromhex(METADATA)).out == done.out


def test_a_mistake_is_printed_and_ends_with_exit_code_1(tmp_path: Path) -> None:
    file = tmp_path / "request.hex"
    file.write_text(METADATA.replace("00 02 61", "02 00 61"))
    done = run("wire", "explain", str(file))
    assert done.code == 1
    assert done.lines[-2] == (
        "mistake at byte 21: topics[0].name: a length of 512 with 2 bytes left"
        " (perhaps it is in little-endian order)"
    )
    (reported,) = map(json.loads, run("wire", "explain", "--json", str(file)).lines)
    assert reported["mistakes"][0]["position"] == 21
    assert [each["offset"] for each in reported["fields"]] == [0, 4, 6, 8, 12, 14, 17, 21, 23]


def test_a_response_needs_to_know_the_request() -> None:
    frame = "00000010 00000007 00000000 ffffffff 00000000"
    done = run("wire", "explain", "--response", "--api", "metadata", "--version", "1", frame)
    assert (done.code, done.lines[0]) == (
        0, "# Metadata response, version 1, correlation id 7, 20 bytes",
    )  # fmt: skip
    assert run("wire", "explain", "--response", frame).code == 2
    unknown = run("wire", "explain", "--response", "--api", "x", frame).err
    assert "has no such API; it has Produce, Fetch, " in unknown
    misspelled = run("wire", "explain", "--response", "--api", "Fecth", frame).err
    assert "has no such API; did you mean Fetch?" in misspelled


def test_the_example_of_the_page_is_what_is_printed() -> None:
    command = blocks("docs/wire.md", "sh")[0]
    assert run(*command.split()[1:]).out == blocks("docs/wire.md", "text")[0]


def test_what_is_nothing_is_an_error() -> None:
    assert run("wire", "explain", "hello").code == 2
    assert "no frame found" in run("wire", "explain", stdin="").err
    assert "expected HOST:PORT" in run("wire", "proxy", "--to", "nowhere").err


def confluent(servers: str, topic: str) -> None:
    producer = Producer({"bootstrap.servers": servers, "compression.type": "zstd", "linger.ms": 50})
    for number in range(200):
        producer.produce(topic, b"value %d" % number, b"key", headers={"n": b"1"}, partition=0)
    assert producer.flush(SECONDS) == 0
    consumer = Consumer(
        {"bootstrap.servers": servers, "group.id": f"g-{topic}", "auto.offset.reset": "earliest"}
    )
    consumer.subscribe([topic])
    read = 0
    while read < 200:
        read += len(consumer.consume(200, SECONDS))
    consumer.commit(offsets=[TopicPartition(topic, 0, 200)], asynchronous=False)
    consumer.close()


def kafka_python(servers: str, topic: str) -> None:
    producer = KafkaProducer(bootstrap_servers=servers, compression_type="gzip", linger_ms=20)
    for number in range(200):
        producer.send(topic, b"value %d" % number, partition=0)
    producer.close(SECONDS)
    consumer = KafkaConsumer(
        bootstrap_servers=servers, group_id=f"g-{topic}", consumer_timeout_ms=SECONDS * 1000
    )
    consumer.assign([PythonPartition(topic, 0)])
    consumer.seek_to_beginning()
    assert len([record for _, record in zip(range(200), consumer, strict=False)]) == 200
    consumer.commit()
    consumer.close()


@pytest.mark.parametrize("client", [confluent, kafka_python])
def test_real_conversations_have_no_mistake(broker: Served, tmp_path: Path, client: Any) -> None:
    topic = f"wire-{client.__name__}"
    with proxied(broker.servers, tmp_path, "--json") as proxy:
        client(proxy.servers, topic)
    found = proxy.documents()
    assert_understood(found)
    assert {"Produce", "Fetch", "Metadata", "OffsetCommit"} <= {each["api"] for each in found}
    read = run("wire", "explain", "--json", str(proxy.file))
    assert read.code == 0
    same = [json.loads(line) for line in read.lines]
    assert [(each["api"], each["kind"], each["fields"]) for each in same] == [
        (each["api"], each["kind"], each["fields"]) for each in found
    ]


def test_one_line_for_each_frame(broker: Served, tmp_path: Path) -> None:
    with proxied(broker.servers, tmp_path, "--brief") as proxy:
        linger = ("-X", "linger.ms=10000")  # so that both records are in one request
        done = run("produce", "brief", "-b", proxy.servers, *linger, stdin="hello\nworld\n")
        assert (done.code, done.err) == (0, "")
        run("consume", "brief", "-b", proxy.servers, "--from-beginning", "--exit")
    (sent,) = [line for line in proxy.lines if "-> Produce" in line]
    assert sent.endswith(", 2 records")
    assert any("<- Metadata" in line and ", brief" in line for line in proxy.lines)
    assert any("<- Fetch" in line and line.endswith(", 2 records") for line in proxy.lines)


def test_a_broker_that_is_not_there(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*BARNABAS, "wire", "proxy", "--listen", "0", "--to", "127.0.0.1:1"],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment(""),
    )  # fmt: skip
    assert process.stderr is not None
    try:
        servers = process.stderr.readline().split()[2]
        done = run("topics", "list", "-b", servers, "-X", "bootstrap.refused.timeout.ms=500")
        assert done.code == 1
        assert "no broker" in process.stderr.readline()
    finally:
        process.terminate()
        process.wait(SECONDS)
        process.stderr.close()


def test_a_wrong_driver_is_an_error_that_says_where(broker: Served, tmp_path: Path) -> None:
    frame = bytes.fromhex(METADATA.replace("00 02 61", "02 00 61"))
    with proxied(broker.servers, tmp_path, "--brief") as proxy:
        host, _, port = proxy.servers.rpartition(":")
        with socket.create_connection((host, int(port)), SECONDS) as connection:
            connection.sendall(frame)
            assert connection.recv(1) == b"", "the broker closes, and says nothing"
    assert [line.split(" bytes, ")[1] for line in proxy.lines] == [
        (
            "mistake at byte 21: topics[0].name: a length of 512 with 2 bytes left"
            " (perhaps it is in little-endian order)"
        )
    ]


def test_a_client_that_has_sent_all_still_gets_its_answer(broker: Served, tmp_path: Path) -> None:
    frame = bytes.fromhex(METADATA.replace(" ", ""))
    answers = []
    with proxied(broker.servers, tmp_path, "--brief", "--keep-addresses") as proxy:
        for servers in (broker.servers, proxy.servers):
            host, _, port = servers.rpartition(":")
            with socket.create_connection((host, int(port)), SECONDS) as connection:
                connection.sendall(frame)
                connection.shutdown(socket.SHUT_WR)
                answers.append(connection.makefile("rb").read())
    assert len(answers[0]) > len(frame)
    assert answers[1] == answers[0]
