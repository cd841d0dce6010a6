import signal
import socket
from pathlib import Path

import pytest

from tests.commands.served import run, serving


def test_it_ends_in_order_on_sigterm_and_keeps_its_data(tmp_path: Path) -> None:
    with serving("--data-dir", str(tmp_path / "data")) as broker:
        assert broker.run("produce", "dogs", stdin="rex\n").code == 0
    assert broker.process.returncode == 0
    with serving("--data-dir", str(tmp_path / "data")) as broker:
        assert broker.run("consume", "dogs", "--from-beginning", "-e").lines == ["rex"]


def test_ctrl_c_is_an_orderly_end_too(tmp_path: Path) -> None:
    with serving("--data-dir", str(tmp_path)) as broker:
        broker.process.send_signal(signal.SIGINT)
        assert broker.process.wait(20) == 0


def test_a_second_broker_on_the_same_data_is_refused(tmp_path: Path) -> None:
    with serving("--data-dir", str(tmp_path)):
        second = run("serve", "--port", "0", "--data-dir", str(tmp_path))
    assert second.code == 1
    assert str(tmp_path) in second.err
    assert len(second.err.splitlines()) == 1


def test_a_port_that_is_taken_is_said_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = run("serve", "--host", "127.0.0.1", "--port", str(port), "--ephemeral")
    assert refused.code == 1
    (line,) = refused.err.splitlines()
    assert f"cannot listen on 127.0.0.1:{port}" in line
    assert line.endswith("; --port takes another one (0: any that is free)")


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with serving("--data-dir", str(tmp_path / "one")) as broker:
        port = broker.servers.rpartition(":")[2]
        second = run("serve", "--port", port, "--data-dir", str(tmp_path / "two"))
    assert second.code == 1
    assert port in second.err
    assert "Traceback" not in second.err


def test_an_ephemeral_broker_leaves_nothing(tmp_path: Path) -> None:
    with serving("--ephemeral", cwd=tmp_path) as broker:
        assert broker.run("produce", "dogs", stdin="rex\n").code == 0
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_kafka_is_read_and_what_it_cannot_do_is_said(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text(
        "# as Kafka's own\n"
        "process.roles=broker,controller\n"
        "node.id=7\n"
        "listeners=PLAINTEXT://localhost:0,CONTROLLER://:9093\n"
        "controller.listener.names=CONTROLLER\n"
        "num.network.threads=3\n"
        "log.dirs=data\n"
        "log.segmnet.bytes=2000000\n"
    )
    with serving("--config", str(file), "--set", "num.partitions=3", cwd=tmp_path) as broker:
        assert broker.run("topics", "create", "dogs").code == 0
        assert broker.run("topics", "list").lines == ["dogs\t3"]
        assert broker.process.stderr is not None
        broker.process.terminate()
        told = broker.process.stderr.read()
    assert (tmp_path / "data").is_dir()
    assert "unknown property log.segmnet.bytes: the nearest known one is log.segment.bytes" in told


@pytest.mark.parametrize(
    ("arguments", "why", "code"),
    [
        (["--set", "num.partitions=0"], "num.partitions=0: it must be at least 1", 1),
        (["--set", "num.partitions"], "--set num.partitions: it must look like name=value", 1),
        (["--config", "nowhere.properties"], "cannot read nowhere.properties", 1),
        (["--ephemeral", "--data-dir", "x"], "--ephemeral makes its own directory", 2),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], why: str, code: int) -> None:
    ended = run("serve", "--port", "0", *arguments)
    assert ended.code == code
    assert why in ended.err
    assert "Traceback" not in ended.err
