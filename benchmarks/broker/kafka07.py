"""Kafka 0.7 on our broker beside our own protocol of today, its driver, and a start with many topics.

`ONLY=kafka07 python -m benchmarks` measures this alone. What is compared is the CPU of one broker; the
clients of 0.7 are in Python, which costs the broker nothing.
"""

import socket
import struct
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial

from kazoo.client import KazooClient

from barnabas.broker.znodes.topic_znodes import TOPICS, encode_topic
from barnabas.dialects.kafka07.frames import encode_request
from barnabas.dialects.kafka07.messages import FetchRequest, OffsetsRequest, ProduceRequest
from barnabas.driver07 import SimpleConsumer
from barnabas.protocol import fetch as today
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader
from barnabas.protocol.headers import encode_request as encode_today
from barnabas.records.messages07.message07 import encode_set
from barnabas.types import Topic
from benchmarks.peers.asking import wait_until
from benchmarks.peers.brokers import BOUNDED, POLICY, UNBOUNDED, create_topic
from benchmarks.peers.load_generator import Batch, run_load
from benchmarks.plan import Plan
from benchmarks.report.result import Result
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.ready import free_ports

GROUP = "kafka07"
HOST = "127.0.0.1"
FORMAT = {"message.format.version": "0.7"}
SET_BYTES = 65536
BATCH = Batch.filling(SET_BYTES, 1024)
PRODUCES = 4_000
LOG_SETS = 1_600
# title, bytes an answer, answers a turn
FETCHES = (("1 MB", 1 << 20, 50), ("64 KB", 1 << 16, 400))
FETCH_TURNS = 12
"""Short turns a round, of milliseconds: what else the machine does then is in both sides' medians."""
MESSAGE_BYTES = 4 + 6 + 1024
SMALL, MESSAGES = 100, 500_000
TOPICS_AT_START = 1_000
SECONDS = 60.0


class Broker07(OurBroker):
    """Ours, with a second port for Kafka 0.7."""

    def __init__(self, **more: str) -> None:
        super().__init__(properties={**POLICY, **more})
        (self.old_port,) = free_ports(1)
        self.properties |= {
            "listeners": f"TODAY://{HOST}:{self.port},OLD://{HOST}:{self.old_port}",
            "listener.security.protocol.map": "TODAY:PLAINTEXT,OLD:PLAINTEXT",
            "listener.dialect.map": "OLD:kafka-0.7",
        }

    def cpu_seconds(self) -> float:
        """What its process has used (CLOCK_PROCESS_CPUTIME_ID of another process)."""
        return time.clock_gettime((~self.pid << 3) | 2)


def message_set(count: int, value: int) -> bytes:
    """`count` messages of `value` bytes."""
    return bytes(encode_set([bytes([index % 251]) * value for index in range(count)]))


def receive(connection: socket.socket, into: bytearray) -> int:
    """Bytes of an answer without its size."""
    (size,) = struct.unpack(">i", connection.recv(4, socket.MSG_WAITALL))
    assert connection.recv_into(into, size, socket.MSG_WAITALL) == size
    return int(size)


def produce(broker: Broker07, topic: str, messages: bytes, requests: int) -> float:
    """CPU-s/GB of the broker; an answer to what was asked last shows that all are appended."""
    request = ProduceRequest(topic=topic, partition=0, messages=messages)
    frame = encode_request(request).joined()
    end = encode_request(OffsetsRequest(topic=topic, partition=0, time=-1, max_number=1)).joined()
    with socket.create_connection((HOST, broker.old_port)) as connection:
        before = broker.cpu_seconds()
        for _ in range(requests):
            connection.sendall(frame)
        connection.sendall(end)
        receive(connection, bytearray(64))
        return (broker.cpu_seconds() - before) / (requests * len(frame)) * 1e9


def fetch(broker: Broker07, port: int, ask: Callable[[int], bytes], step: int, count: int) -> float:
    """CPU-s/GB of the broker; `ask` gives the request of a step, after some of which it begins anew."""
    into, got = bytearray(2 << 20), 0
    with socket.create_connection((HOST, port)) as connection:
        before = broker.cpu_seconds()
        for number in range(count):
            connection.sendall(ask(number % step))
            came = receive(connection, into)
            assert came > 0.9 * SET_BYTES, "the broker refuses"
            got += came
        return (broker.cpu_seconds() - before) / got * 1e9


def asking_07(size: int) -> Callable[[int], bytes]:
    """Requests for parts of a log, each from where the last whole message before ended."""
    whole = size // MESSAGE_BYTES * MESSAGE_BYTES

    def ask(number: int) -> bytes:
        asked = FetchRequest(topic="out-07", partition=0, offset=number * whole, max_size=size)
        return encode_request(asked).joined()

    return ask


def asking_today(size: int) -> Callable[[int], bytes]:
    """The same, with whole batches."""

    def ask(number: int) -> bytes:
        offset = number * (size // BATCH.size) * BATCH.records
        partition = today.FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=size)
        topics = [today.FetchTopic(topic="out", partitions=[partition])]
        asked = today.FetchRequest(max_wait_ms=500, min_bytes=1, topics=topics)
        return encode_today(RequestHeader(ApiKey.FETCH, 11, number), asked).joined()

    return ask


def consume(broker: Broker07, topic: str) -> float:
    """M messages/s of the client's CPU, into objects, with what it takes to fetch them."""
    with closing(SimpleConsumer(HOST, broker.old_port)) as consumer:
        offset = found = 0
        begun = time.process_time()
        while (fetched := consumer.fetch(topic, 0, offset)).messages:
            found += len(fetched.messages)
            offset = fetched.next_offset
        return found / (time.process_time() - begun) / 1e6


def start(keeper: ZooKeeper, broker: OurBroker, count: int) -> float:
    """Seconds until a broker with so many topics answers and all are registered."""
    client = KazooClient(keeper.address)
    client.start(SECONDS)
    client.ensure_path(TOPICS)
    for number in range(count):
        topic = Topic(f"t{number}", struct.pack(">QQ", 1, number + 1), {0: [1]}, {})
        path = f"{TOPICS}/{topic.name}"
        if client.exists(path) is None:
            client.create(path, encode_topic(topic))

    def registered() -> bool:
        below = [f"{TOPICS}/t{number}/partitions" for number in (0, count // 2, count - 1)]
        return all(client.exists(path) is not None for path in below)

    begun = time.monotonic()
    try:
        broker.start()
        taken = time.monotonic() - begun
        wait_until(registered)
    finally:
        broker.child.stop()
        client.stop()
        client.close()
    return taken


def _figures(plan: Plan, broker: Broker07) -> dict[str, tuple[list[float], list[float]]]:
    """0.7's and today's, in turns."""
    found: dict[str, tuple[list[float], list[float]]] = {}

    def add(measure: str, old: Callable[[], float], new: Callable[[], float]) -> None:
        ours, peers = found.setdefault(measure, ([], []))
        ours.append(old())
        peers.append(new())

    for topic, config in (("in", BOUNDED), ("out", UNBOUNDED)):
        create_topic(broker, topic, 1, config)
        create_topic(broker, f"{topic}-07", 1, {**config, **FORMAT})
    messages = message_set(SET_BYTES // MESSAGE_BYTES, 1024)
    shape = {"port": broker.port, "pid": broker.pid, "value": BATCH.value, "records": BATCH.records}
    produce(broker, "out-07", messages, LOG_SETS + 100)
    run_load("produce", **shape, topic="out", requests=LOG_SETS + 100)
    for _ in range(plan.rounds):
        requests = plan.requests(PRODUCES)
        add(
            "produce, sets of 64 KB",
            partial(produce, broker, "in-07", messages, requests),
            partial(_today, {**shape, "topic": "in", "requests": requests}),
        )
        for title, size, answers in FETCHES * FETCH_TURNS:
            steps = LOG_SETS * SET_BYTES // size - 2
            add(
                f"fetch, answers of {title}",
                partial(fetch, broker, broker.old_port, asking_07(size), steps, answers),
                partial(fetch, broker, broker.port, asking_today(size), steps, answers),
            )
    return found


def _today(shape: dict[str, int | str]) -> float:
    """CPU-s/GB of the broker for a Produce of today."""
    return run_load("produce", **shape)["broker_cpu_per_gb"]


TARGETS = {"produce": 1.5, "fetch": 1.1}


def measure(plan: Plan) -> list[Result]:
    """The rows of this group."""
    with Broker07() as broker:
        results = [
            Result(
                GROUP, title, "CPU-s/GB", tuple(old), tuple(peers), "our own of today",
                TARGETS[title.partition(",")[0]],
            )
            for title, (old, peers) in _figures(plan, broker).items()
        ]  # fmt: skip
        create_topic(broker, "small", 1, {**UNBOUNDED, **FORMAT})
        count = plan.requests(MESSAGES // 500)
        produce(broker, "small", message_set(500, SMALL), count)
        taken = tuple(consume(broker, "small") for _ in range(plan.rounds))
    title = f"driver07, messages of {SMALL} B into objects"
    results.append(Result(GROUP, title, "M messages/CPU-s", taken, target=1.0, better="higher"))
    with ZooKeeper() as keeper:
        broker_of_many = OurBroker(properties={"zookeeper.connect": keeper.address})
        start(keeper, broker_of_many, TOPICS_AT_START)  # Makes the logs.
        taken = tuple(start(keeper, broker_of_many, TOPICS_AT_START) for _ in range(plan.rounds))
    title = f"start with {TOPICS_AT_START:,} topics in ZooKeeper, until it answers"
    results.append(Result(GROUP, title, "s", taken, target=3.0))
    return results
