"""Brokers that begin with a copy of another one's data, and that end and begin again."""

import logging
from pathlib import Path

import pytest

from barnabas import Consumer, Producer
from barnabas.errors import BrokerError, InvalidArgument, LocalProtocolError
from barnabas.testing import EmbeddedBroker


def send(broker: EmbeddedBroker, *values: str) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for value in values:
            producer.send("dogs", value).result()


def values(broker: EmbeddedBroker) -> list[bytes | None]:
    with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
        consumer.assign([("dogs", 0)])
        consumer.seek_to_beginning()
        (end,) = consumer.end_offsets([("dogs", 0)]).values()
        found: list[bytes | None] = []
        while len(found) < end:
            found += [record.value for record in consumer.poll(timeout_s=10)]
        return found


def test_brokers_begin_with_a_snapshot_and_leave_it_as_it_is(tmp_path: Path) -> None:
    with EmbeddedBroker() as broker:
        broker.create_topic("dogs", config={"retention.ms": "-1"})
        send(broker, "rex", "lassie")
        taken = broker.snapshot(tmp_path / "two dogs")
        send(broker, "laika")
        assert values(broker) == [b"rex", b"lassie", b"laika"]
    before = sorted(path.relative_to(taken) for path in taken.rglob("*"))
    for _ in range(2):
        with EmbeddedBroker(from_snapshot=taken) as broker:
            assert broker.data_dir != taken
            assert values(broker) == [b"rex", b"lassie"]
            send(broker, "hachiko")
            assert values(broker)[-1] == b"hachiko"
            with pytest.raises(BrokerError, match="TOPIC_ALREADY_EXISTS"):
                broker.create_topic("dogs")
    assert sorted(path.relative_to(taken) for path in taken.rglob("*")) == before


def test_a_snapshot_was_left_in_order(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with EmbeddedBroker() as broker:
        send(broker, "rex")
        taken = broker.snapshot(tmp_path / "taken")
    assert (taken / ".kafka_cleanshutdown").is_file()
    assert [one for one in caplog.records if one.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("ending", ["restart", "kill", "kill, then stop"])
def test_a_broker_comes_back_on_its_port_with_its_data(ending: str) -> None:
    broker = EmbeddedBroker()
    with broker:
        send(broker, "rex")
        port, directory = broker.port, broker.data_dir
        if ending == "restart":
            broker.restart()
        else:
            broker.kill()
            with pytest.raises(LocalProtocolError, match="has ended"):
                assert broker.port
            assert not (directory / ".kafka_cleanshutdown").exists()
            if ending == "kill":
                broker.start()
        if ending != "kill, then stop":
            assert (broker.port, broker.data_dir) == (port, directory)
            assert values(broker) == [b"rex"]
    assert not directory.exists()


def test_a_client_goes_on_after_a_kill(tmp_path: Path) -> None:
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("dogs", "rex").result()
            broker.kill()
            sent = producer.send("dogs", "lassie")
            broker.start()
            assert sent.result().offset == 1
        assert values(broker) == [b"rex", b"lassie"]
    assert tmp_path.exists()


def test_a_killed_broker_gives_its_descriptors_back(tmp_path: Path) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir():
        pytest.skip("descriptors have no names here")
    broker = EmbeddedBroker(data_dir=tmp_path)
    broker.start()
    send(broker, "rex")
    broker.kill()
    held = [str(each.readlink()) for each in descriptors.iterdir() if each.is_symlink()]
    assert not [name for name in held if name.startswith(str(tmp_path))]
    broker.stop()


def test_what_is_no_place_for_a_snapshot_is_refused(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with EmbeddedBroker() as broker:
        with pytest.raises(InvalidArgument, match="snapshot .*full is not empty"):
            broker.snapshot(tmp_path / "full")
        with pytest.raises(InvalidArgument, match="inside the data directory"):
            broker.snapshot(broker.data_dir / "here")
        taken = broker.snapshot(tmp_path / "taken")
    with pytest.raises(InvalidArgument, match=r"expected a directory that snapshot\(\) wrote"):
        EmbeddedBroker(from_snapshot=tmp_path / "full").start()
    with pytest.raises(InvalidArgument, match="data directory .*full is not empty"):
        EmbeddedBroker(from_snapshot=taken, data_dir=tmp_path / "full").start()
