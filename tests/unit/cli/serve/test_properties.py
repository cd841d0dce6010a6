import subprocess
import sys
from pathlib import Path

import pytest

from barnabas.cli.serve.properties import configuration, from_options, set_properties
from barnabas.config.listeners import Endpoint, listeners
from barnabas.config.property_files import PropertyText
from barnabas.errors import ConfigError


@pytest.mark.parametrize(
    ("given", "port", "host", "endpoint"),
    [
        ({}, None, None, Endpoint("PLAINTEXT", "localhost", 9092)),
        ({}, 0, "", Endpoint("PLAINTEXT", "", 0)),
        ({}, None, "::1", Endpoint("PLAINTEXT", "::1", 9092)),
        ({"listeners": "PLAINTEXT://:1"}, None, None, Endpoint("PLAINTEXT", "", 1)),
        ({"listeners": "PLAINTEXT://:1"}, 2, None, Endpoint("PLAINTEXT", "localhost", 2)),
    ],
    ids=["defaults", "every address", "IPv6", "as given", "the option wins"],
)
def test_options_win_over_properties(
    given: dict[str, str], port: int | None, host: str | None, endpoint: Endpoint
) -> None:
    known = {name: PropertyText(value, "--set") for name, value in given.items()}
    config = configuration(known | from_options(known, port, host, None))
    assert listeners(config) == [endpoint]


def test_directories_do_not_depend_on_where_the_process_is(tmp_path: Path) -> None:
    assert configuration({}).directories == (str(Path.cwd() / "barnabas-data"),)
    given = {"log.dirs": PropertyText(f"one,{tmp_path}", "--set")}
    assert configuration(given).directories == (str(Path.cwd() / "one"), str(tmp_path))
    chosen = given | from_options(given, None, None, "two")
    assert configuration(chosen).directories == (str(Path.cwd() / "two"),)


@pytest.mark.parametrize(
    ("text", "node"), [("version=0\nbroker.id=0\n", 0), ("version=1\nnode.id=7\n", 7)]
)
def test_who_says_no_node_id_is_the_node_of_the_directory(
    tmp_path: Path, text: str, node: int
) -> None:
    given = from_options({}, 0, None, str(tmp_path))
    assert configuration(given).node_id == 1
    (tmp_path / "meta.properties").write_text(text)
    assert configuration(given).node_id == node
    chosen = given | {"node.id": PropertyText("3", "--set")}
    assert configuration(chosen).node_id == 3
    old_name = given | {"broker.id": PropertyText("4", "--set")}
    assert configuration(old_name).node_id == 4


def test_a_gigantic_file_of_the_owner_is_left_to_the_broker(tmp_path: Path) -> None:
    with (tmp_path / "meta.properties").open("wb") as file:
        file.truncate(1 << 40)
    assert configuration(from_options({}, 0, None, str(tmp_path))).node_id == 1


def test_names_that_are_typed_are_known_those_of_the_release_too() -> None:
    pairs = ("num.partitions=3", "log_retention_hours=1", "listener.name.x.ssl.keystore.location=a")
    assert len(set_properties(pairs, "")) == 3
    of_07 = ("brokerid=3", "log.file.size=1000000", "port=1", "log.cleanup.interval.mins=1")
    assert len(set_properties(of_07, "0.7")) == 4
    for release in ("", "0.7"):
        with pytest.raises(
            ConfigError, match="--set log.dir_: unknown property; did you mean log.dir"
        ):
            set_properties(("log.dir_=a",), release)
    with pytest.raises(ConfigError, match="--set brokerid: unknown property"):
        set_properties(of_07, "0.8.2")


@pytest.mark.parametrize(("source", "left"), [("kafka.properties:3", ()), ("--set", ("A://x:1",))])
def test_a_port_makes_void_what_a_file_advertises(source: str, left: tuple[str, ...]) -> None:
    given = {"advertised.listeners": PropertyText("A://x:1", source)}
    config = configuration(given | from_options(given, 0, None, None))
    assert config.advertised_listeners == left
    config = configuration(given | from_options(given, None, None, None))
    assert config.advertised_listeners == ("A://x:1",)


_LOADED = """
import gc, sys
from barnabas.cli.serve.one_broker import _node
_node()
assert gc.isenabled() and gc.get_freeze_count() > 0
print(*sorted(sys.modules))
"""


def test_what_most_brokers_never_need_is_not_imported_at_the_start() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "barnabas.broker.server.node" in loaded
    late = {
        "asyncio", "ssl", "shutil", "rich", "cramjam", "pyarrow", "encodings.idna",
        "barnabas.log.cleaning.compaction", "barnabas.records.columns.columns",
        "barnabas.records.columns.reading",
        "barnabas.records.record_rules", "barnabas.broker.transactions.transactions",
        "barnabas.broker.groups.members", "barnabas.broker.shares.shares",
        "barnabas.coordinators.groups_shard", "barnabas.coordinators.consumer_group.groups",
        "barnabas.broker.apis.consumer_group_heartbeat",
        "barnabas.broker.apis.consumer_group_describe",
    }  # fmt: skip
    assert not late & set(loaded)
    shares = (
        "barnabas.broker.shares",
        "barnabas.broker.apis.share_",
        "barnabas.coordinators.share_",
    )
    assert not [name for name in loaded if name.startswith(shares)]
    assert not [name for name in loaded if name.endswith("_share_group_offsets")]
    handlers = {name for name in loaded if name.startswith("barnabas.broker.apis.")}
    asked_first = ("api_versions", "fetch", "list_offsets", "metadata", "produce")
    assert handlers == {f"barnabas.broker.apis.{name}" for name in asked_first}
