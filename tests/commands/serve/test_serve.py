import os
import pty
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.commands.served import BARNABAS, SECONDS, environment, run, serving
from tests.interop.peers.ready import free_ports

STOCK = sorted((Path(__file__).parents[1] / "stock").glob("*.properties"))


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


def test_a_port_that_is_taken_is_an_error_that_says_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = run("serve", "--host", "127.0.0.1", "--port", str(port), "--ephemeral")
    assert refused.code == 1
    (line,) = refused.err.splitlines()
    assert f"cannot listen on 127.0.0.1:{port}" in line
    assert line.endswith("; --port chooses another port (0: any free one)")


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with serving("--data-dir", str(tmp_path / "one")) as broker:
        port = broker.servers.rpartition(":")[2]
        second = run("serve", "--port", port, "--data-dir", str(tmp_path / "two"))
    assert second.code == 1
    assert port in second.err
    assert "Traceback" not in second.err


def test_properties_that_exclude_each_other_are_refused_with_both_names() -> None:
    short = "group.consumer.session.timeout.ms=3000"
    refused = run("serve", "--port", "0", "--ephemeral", "--set", short)
    assert refused.code == 2
    least = "group.consumer.min.session.timeout.ms, which is 45000 by default"
    assert f"{short}: it must be at least {least}" in refused.err


def test_an_ephemeral_broker_leaves_nothing(tmp_path: Path) -> None:
    with serving("--ephemeral", cwd=tmp_path) as broker:
        assert broker.run("produce", "dogs", stdin="rex\n").code == 0
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_kafka_is_read_and_what_it_cannot_do_is_printed(tmp_path: Path) -> None:
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
        printed = broker.process.stderr.read()
    assert (tmp_path / "data").is_dir()
    assert "unknown property log.segmnet.bytes; did you mean log.segment.bytes?" in printed


@pytest.mark.parametrize("stock", STOCK, ids=lambda path: path.stem)
def test_the_files_that_kafka_comes_with_serve_as_they_are(stock: Path, tmp_path: Path) -> None:
    (port,) = free_ports(1)
    text = stock.read_text()
    file = tmp_path / "server.properties"
    file.write_text(text.replace(":9092", f":{port}"))
    # Without a listener in the file only the option can keep clear of who has port 9092.
    elsewhere = [] if "\nlisteners=" in text else ["--port", str(port)]
    # Nor is there the ZooKeeper that some want.
    elsewhere += ["--set", "zookeeper.connect="]
    command = [*BARNABAS, "serve", "--config", str(file), "--json", *elsewhere]
    with serving(command=command, cwd=tmp_path) as broker:
        assert broker.servers == f"localhost:{port}"
        assert broker.run("produce", "dogs", stdin="rex\n").code == 0
        assert broker.run("consume", "dogs", "--from-beginning", "-e").lines == ["rex"]
        assert broker.process.stderr is not None
        broker.process.terminate()
        assert broker.process.stderr.read() == "", "nothing in it is wrong or unknown"
    (logs,) = re.findall(r"^log.dirs=(.*)$", text, re.MULTILINE)
    assert (tmp_path / logs / "dogs-0").is_dir()


def test_without_zookeeper_the_output_says_that_none_is_needed(tmp_path: Path) -> None:
    pytest.importorskip("kazoo")
    place = "zookeeper.connect=127.0.0.1:1"
    asked = ["--data-dir", str(tmp_path), "--set", place, "--set"]
    ended = run("serve", "--port", "0", *asked, "zookeeper.connection.timeout.ms=100")
    assert ended.code == 1
    (line,) = ended.err.splitlines()
    assert f"{place}: ZooKeeper at 127.0.0.1:1 did not answer within 100 ms" in line
    assert line.endswith("leave out zookeeper.connect, or --set zookeeper.connect= over a file's")


def test_a_port_by_option_makes_what_a_file_advertises_void(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text(STOCK[-1].read_text())
    with serving("--config", str(file), cwd=tmp_path) as broker:
        assert not broker.servers.endswith(":9092")
        assert broker.run("produce", "dogs", stdin="rex\n").code == 0


def test_what_would_protect_a_broker_is_a_warning(tmp_path: Path) -> None:
    pairs = ("--set", "ssl.keystore.location=keys", "--set", "authorizer.class.name=A")
    with serving("--ephemeral", *pairs, cwd=tmp_path) as broker:
        assert broker.process.stderr is not None
        broker.process.terminate()
        first, second = broker.process.stderr.read().splitlines()
    assert first.endswith(
        "warning property ssl.keystore.location has no effect here: "
        "TLS, SASL and ACLs are not supported yet"
    )
    assert "property authorizer.class.name has no effect here" in second


def test_a_terminal_shows_a_command_that_reaches_this_broker() -> None:
    main, terminal = pty.openpty()
    with os.fdopen(main, "rb", buffering=0) as screen:
        process = subprocess.Popen(
            [*BARNABAS, "serve", "--port", "0", "--ephemeral"],
            stdout=terminal,
            env=environment(""),
        )
        os.close(terminal)
        printed = b""
        while printed.count(b"\n") < 2:
            printed += screen.read(4096)
        process.terminate()
        assert process.wait(20) == 0
    ready, hint = printed.decode().splitlines()
    (servers,) = re.findall(r"is ready at (\S+),", ready)
    assert hint.endswith(f"Try: echo hello | barnabas produce greetings -b {servers}")


@pytest.mark.parametrize(
    ("arguments", "why", "code"),
    [
        (["--host", "no-such-host.invalid"], "; --host chooses another", 1),
        (["--set", "num.partitions=0"], "num.partitions=0: it must be at least 1", 2),
        (
            ["--set", "num.partition=3"],
            "num.partition: unknown property; did you mean num.partitions",
            2,
        ),
        (["--set", "num.partitions"], "--set num.partitions: expected name=value", 2),
        (["--config", "nowhere.properties"], "cannot read nowhere.properties", 2),
        (["--config", "/dev/zero"], "more than 1048576 characters are no properties", 2),
        (["--ephemeral", "--data-dir", "x"], "--ephemeral creates its own directory", 2),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], why: str, code: int) -> None:
    ended = run("serve", "--port", "0", *arguments)
    assert ended.code == code
    assert why in ended.err
    assert "Traceback" not in ended.err


def test_prometheus_is_answered_on_a_port_of_its_own() -> None:
    with serving("--ephemeral", "--metrics-port", "0") as served:
        assert served.announced["metrics"].startswith("http://localhost:")
        with urllib.request.urlopen(served.announced["metrics"], timeout=30) as response:
            text = response.read().decode()
    assert "kafka_server_kafkaserver_brokerstate 3.0" in text


def test_a_console_that_cannot_run_ends_the_command_before_the_broker_is_ready() -> None:
    with socket.create_server(("localhost", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = run("serve", "--ephemeral", "--port", "0", "--console-port", port)
    assert (ended.code, ended.out) == (1, "")
    assert f"the console cannot listen at localhost:{port}" in ended.err
    assert "--console-port chooses another port" in ended.err


_WITHOUT = """
import sys
sys.modules["starlette"] = None
from barnabas.cli.main import main
main(["serve", "--ephemeral", "--port", "0", "--console-port", "0"])
"""


def test_without_its_packages_a_console_ends_the_command_too() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _WITHOUT],
        capture_output=True, text=True, timeout=SECONDS, check=False, env=environment(""),
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "the console's pages need starlette: pip install 'barnabas[console]'" in ended.stderr


def test_a_console_that_ends_early_is_reported() -> None:
    with serving("--ephemeral", "--console-port", "0") as served:
        assert served.process.stderr is not None
        assert served.announced["console"] in served.process.stderr.readline()
        children = Path(f"/proc/{served.process.pid}/task/{served.process.pid}/children")
        if not children.exists():
            pytest.skip("needs /proc to find the console's process")
        os.kill(int(children.read_text()), signal.SIGKILL)
        assert (
            "the console ended with code -9; the broker goes on" in served.process.stderr.readline()
        )
        assert served.run("topics", "list").code == 0
