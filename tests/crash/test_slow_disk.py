"""A disk whose syncs take as long as a test wants: a real broker that only the record waits for."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from barnabas import Admin, Consumer, NewTopic, Producer, TopicPartition
from tests.interop.peers.brokers.our_broker import OurBroker

COMPILER = shutil.which("cc")
SECONDS = 60.0

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or COMPILER is None, reason="a C compiler makes the slow disk"
)

SLOW_SYNCS = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A sync begins with a mark, and takes as long as there is a file. */
static void wait_for_the_test(void)
{
    const char *held = getenv("SYNCS_HELD");
    char begun[4096];
    if (held == NULL || access(held, F_OK) != 0)
        return;
    snprintf(begun, sizeof begun, "%s.begun", held);
    FILE *mark = fopen(begun, "w");
    if (mark != NULL)
        fclose(mark);
    while (access(held, F_OK) == 0)
        usleep(2000);
}

int fsync(int file) { wait_for_the_test(); return syscall(SYS_fsync, file); }
int fdatasync(int file) { wait_for_the_test(); return syscall(SYS_fdatasync, file); }
"""


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """As long as this file exists, syncs do not end; a mark beside it shows that one has begun."""
    return tmp_path / "held"


@pytest.fixture
def broker(tmp_path: Path, held: Path) -> Iterator[OurBroker]:
    source, library = tmp_path / "slow.c", tmp_path / "slow.so"
    source.write_text(SLOW_SYNCS)
    assert COMPILER is not None
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, source], check=True)
    prefix = ("env", f"LD_PRELOAD={library}", f"SYNCS_HELD={held}")
    with OurBroker(prefix=prefix) as running:
        with Admin(bootstrap_servers=running.bootstrap_servers) as admin:
            synced = NewTopic("synced", 1, 1, configs={"flush.messages": "1"})
            admin.create_topics([synced, NewTopic("plain", 1, 1)])
        yield running
        held.unlink(missing_ok=True)


def read(servers: str, topic: str, count: int) -> list[bytes | None]:
    with Consumer(bootstrap_servers=servers, group_id="readers") as consumer:
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek_to_beginning()
        found: list[bytes | None] = []
        while len(found) < count:
            records = consumer.poll(timeout_s=SECONDS)
            assert records
            found += [record.value for record in records]
        consumer.commit(timeout_s=SECONDS)
        return found


def polled(servers: str, topic: str, count: int) -> list[bytes | None]:
    """What is read without a group."""
    with Consumer(bootstrap_servers=servers) as consumer:
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek_to_beginning()
        found: list[bytes | None] = []
        while len(found) < count:
            found += [record.value for record in consumer.poll(timeout_s=SECONDS)]
        return found


def test_only_the_record_that_is_being_synced_waits(broker: OurBroker, held: Path) -> None:
    servers = broker.bootstrap_servers
    with (
        Producer(bootstrap_servers=servers, linger_ms=0) as producer,
        Producer(bootstrap_servers=servers, linger_ms=0) as other,
    ):
        producer.send("synced", b"first").result(SECONDS)
        other.send("plain", b"first").result(SECONDS)
        # Makes the topic of commits: the registry of topics is synced while everybody waits.
        assert read(servers, "plain", 1) == [b"first"]
        held.touch()
        waiting = producer.send("synced", b"second")
        while not held.with_name("held.begun").exists():
            assert not waiting.done()
        # All of this is answered while the sync goes on; commits are written and read.
        assert other.send("plain", b"second").result(SECONDS).offset == 1
        assert read(servers, "plain", 2) == [b"first", b"second"]
        assert read(servers, "synced", 1) == [b"first"]
        with Admin(bootstrap_servers=servers) as admin:
            assert TopicPartition("plain", 0) in admin.list_group_offsets("readers")
            end = admin.list_offsets({TopicPartition("synced", 0): -1})
        assert end[TopicPartition("synced", 0)].offset == 1
        assert not waiting.done()
        held.unlink()
        assert waiting.result(SECONDS).offset == 1
    assert read(servers, "synced", 2) == [b"first", b"second"]


def test_what_was_acknowledged_before_a_kill_is_there(broker: OurBroker, held: Path) -> None:
    servers = broker.bootstrap_servers
    with Producer(bootstrap_servers=servers, linger_ms=0) as producer:
        producer.send("synced", b"first").result(SECONDS)
        held.touch()
        waiting = producer.send("synced", b"second")
        while not held.with_name("held.begun").exists():
            assert not waiting.done()
        assert not waiting.done()
        held.unlink()
        broker.child.kill()
        broker.start()
        assert waiting.result(SECONDS).offset in (1, -1)
    assert read(servers, "synced", 2) == [b"first", b"second"]


def test_a_stop_waits_for_what_is_being_synced(broker: OurBroker, held: Path) -> None:
    servers = broker.bootstrap_servers
    with Producer(bootstrap_servers=servers, linger_ms=0, delivery_timeout_ms=900_000) as producer:
        producer.send("synced", b"first").result(SECONDS)
        held.touch()
        waiting = producer.send("synced", b"second")
        while not held.with_name("held.begun").exists():
            assert not waiting.done()
        broker.child.process.terminate()
        with pytest.raises(subprocess.TimeoutExpired):
            broker.child.process.wait(1)
        held.unlink()
        assert broker.child.process.wait(SECONDS) == 0
        broker.start()
        assert waiting.result(SECONDS).offset in (1, -1)
    assert read(servers, "synced", 2) == [b"first", b"second"]


def test_a_change_of_topics_that_is_being_synced_holds_up_nobody_else(
    broker: OurBroker, held: Path
) -> None:
    servers = broker.bootstrap_servers
    with (
        ThreadPoolExecutor() as threads,
        Producer(bootstrap_servers=servers, linger_ms=0) as producer,
        Admin(bootstrap_servers=servers) as admin,
    ):
        producer.send("plain", b"first").result(SECONDS)
        producer.send("synced", b"first").result(SECONDS)
        changes: list[tuple[Callable[[], object], list[bytes | None]]] = [
            # Its commit makes the topic of commits.
            (lambda: read(servers, "synced", 1), [b"zeroth"]),
            (lambda: admin.create_topics([NewTopic("new", 3, 1)]), [b"second"]),
            (lambda: admin.create_partitions({"new": 5}), [b"third"]),
            (lambda: admin.delete_topics(["synced"]), [b"fourth"]),
        ]
        sent: list[bytes | None] = [b"first"]
        for change, (value,) in changes:
            held.touch()
            waiting = threads.submit(change)
            while not held.with_name("held.begun").exists():
                assert not waiting.done()
            held.with_name("held.begun").unlink()
            sent.append(value)
            assert producer.send("plain", value).result(SECONDS).offset == len(sent) - 1
            assert polled(servers, "plain", len(sent)) == sent
            assert not waiting.done()
            held.unlink()
            waiting.result(SECONDS)
    broker.child.kill()
    broker.start()
    with Admin(bootstrap_servers=servers) as admin:
        found = admin.describe_topics(["new"])
        assert "synced" not in admin.list_topics()
    assert len(found["new"].partitions) == 5
