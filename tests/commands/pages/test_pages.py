"""The programs of the pages in docs, run as they stand, against a broker on another port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.pages.pages import blocks, environment, lines, run_program, type_command
from tests.commands.served import Served, serving

DRIVER = blocks("docs/driver.md", "python")
TESTING = blocks("docs/testing-kit.md", "python")


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        yield served


@pytest.fixture(scope="module")
def typed(broker: Served, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return environment(broker.servers, tmp_path_factory.mktemp("bin"))


def test_the_drivers_programs_run_in_their_order(
    broker: Served, typed: dict[str, str], tmp_path: Path
) -> None:
    assert len(DRIVER) == 13
    shown = [run_program(one, broker.servers, typed, tmp_path).out for one in DRIVER]
    assert all(shown)
    produced, consumed, sought, committed, shared, given, walked, *others = shown
    copied, arrow, awaited, traced, administered, old = others
    assert produced.startswith("0 0 ")
    assert consumed == "0 0 b'rex' b'barks' (('source', b'page'),)\n"
    assert sought.startswith("0 ")
    assert committed == "{TopicPartition(topic='animals', partition=0): 500}\n"
    assert copied == "{TopicPartition(topic='animals', partition=0): 1001}\n"
    assert shared.startswith("assigned: (TopicPartition(topic='animals', partition=0),)\n0 0 ")
    assert shared.endswith("\nrevoked: (TopicPartition(topic='animals', partition=0),)\n")
    assert given == "500 [TopicPartition(topic='animals', partition=0)]\n"
    assert walked == "b'rex, 20 minutes'\n"
    assert "'key': b'tom', 'value': b'purrs'" in arrow
    assert awaited.startswith("RecordMetadata(topic='animals', partition=0, offset=1001, ")
    assert traced == "b'delayed'\n"
    assert administered.startswith(
        "['animals', 'cats', 'flights', 'shouted', 'sounds', 'walks'] 6\n3600000\n"
        "{'consumer_byte_rate': 1000000.0}\n"
    )
    assert old == "0 b'rex' b'barks' -1\n"
    place = "{TopicPartition(topic='animals', partition=0): CommittedOffset(offset="
    groups = [line.partition(", leader_epoch")[0] for line in administered.splitlines()[3:]]
    saved = {"page": 500, "readers": 1000, "shouter": 1001}
    assert sorted(groups) == [
        *(f"{group} {place}{offset}" for group, offset in saved.items()), "walkers {}"
    ]  # fmt: skip


def test_a_broker_in_a_program_without_a_test(typed: dict[str, str], tmp_path: Path) -> None:
    # The tests of that page are run by tests/interop/tools/test_testing_kit.py.
    (alone,) = [one for one in TESTING if not one.startswith("# test_")]
    assert "['dogs']" in run_program(alone, "", typed, tmp_path).out


@pytest.mark.spark
@pytest.mark.timeout(600)
def test_the_connectors_programs_run_as_one(
    broker: Served, typed: dict[str, str], tmp_path: Path
) -> None:
    (produce,) = [line for line in lines("docs/spark.md") if "barnabas produce" in line]
    broker.run("topics", "delete", "animals", "--yes")
    type_command(produce, typed, tmp_path)
    programs = blocks("docs/spark.md", "python")
    assert len(programs) >= 4
    shown = run_program("\n".join(programs), broker.servers, typed, tmp_path).out
    assert "|rex|" in shown.replace(" ", "")
    loud = broker.run("consume", "loud-animals", "--from-beginning", "-e", "-K", ":")
    assert sorted(loud.lines) == ["rex:BARKS", "tom:PURRS"]
    written = broker.run("consume", "animals", "--from-beginning", "-e", "-f", r"%k %S\n")
    assert sorted(written.lines) == ["rex 5", "rex 6", "tom -1", "tom 5"]


@pytest.mark.spark
@pytest.mark.timeout(600)
def test_the_program_for_log_directories(typed: dict[str, str], tmp_path: Path) -> None:
    (program,) = blocks("docs/spark-directories.md", "python")
    directory = Path(__file__).parents[2] / "vectors" / "logs" / "kafka-2.8.2"
    program = program.replace("/backup/kafka-logs", str(directory))
    shown = run_program(program, "", typed, tmp_path).out.replace(" ", "")
    assert "|corpus|0|66|" in shown
    assert "|corpus|1|66|" in shown
