import json
from collections.abc import Iterator

import pytest

from tests.commands.served import Served, serving


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        yield served


def test_a_topic_from_creation_to_deletion(broker: Served) -> None:
    create = ("topics", "create", "dogs", "-p", "3", "-c", "retention.ms=60000")
    assert broker.run(*create).code == 0
    assert broker.run("topics", "list").lines == ["dogs\t3"]
    assert broker.run("produce", "dogs", "-p", "1", stdin="rex\ntom\n").code == 0

    described = json.loads(broker.run("topics", "describe", "dogs", "--json").out)
    assert described["configs"] == {"retention.ms": "60000"}
    assert [row["end_offset"] for row in described["partitions"]] == [0, 2, 0]
    assert len(described["id"]) == 22
    assert described["partitions"][0]["replicas"] == described["partitions"][0]["in_sync"] == [1]
    piped = broker.run("topics", "describe", "dogs").lines
    assert piped == [
        "0\t1\t1\t1\t0\t0",
        "1\t1\t1\t1\t0\t2",
        "2\t1\t1\t1\t0\t0",
        "retention.ms\t60000",
    ]

    assert broker.run("topics", "add-partitions", "dogs", "5").code == 0
    assert json.loads(broker.run("topics", "list", "--json").out) == [
        {"topic": "dogs", "partitions": 5}
    ]
    own = broker.run("topics", "config", "dogs")
    assert own.lines == ["retention.ms\t60000\ttopic"]
    assert len(broker.run("topics", "config", "dogs", "--all").lines) > 20

    changed = broker.run(
        *("topics", "config", "dogs", "--set", "max.message.bytes=5000"),
        *("--set", "cleanup.policy=compact,delete", "--unset", "retention.ms"),
    )
    assert sorted(changed.lines) == [
        "cleanup.policy\tcompact,delete\ttopic",
        "max.message.bytes\t5000\ttopic",
    ]
    described = json.loads(broker.run("topics", "describe", "dogs", "--json").out)
    assert described["configs"] == {"cleanup.policy": "compact,delete", "max.message.bytes": "5000"}

    unasked = broker.run("topics", "delete", "dogs")
    assert unasked.code == 2
    assert "no terminal to ask for confirmation: --yes deletes dogs" in unasked.err
    assert broker.run("topics", "list").lines == ["dogs\t5"]
    assert broker.run("topics", "delete", "dogs", "--yes").code == 0
    assert broker.run("topics", "list").lines == []


def test_what_cannot_be_done_is_an_error(broker: Served) -> None:
    assert broker.run("topics", "create", "cats").code == 0
    assert broker.run("topics", "create", "cats", "--if-not-exists").code == 0
    for arguments, why in [
        (("create", "cats"), "barnabas: topic cats already exists; with --if-not-exists"),
        (
            ("create", "a/b"),
            "INVALID_TOPIC_EXCEPTION: creating topics: a/b: the name of a topic is",
        ),
        (("create", "x", "-c", "retention.ms=soon"), "INVALID_CONFIG"),
        (("create", "x", "-c", "retntion.ms=3"), "did you mean retention.ms?"),
        (("config", "cats", "--unset", "retntion.ms"), "did you mean retention.ms?"),
        (("config", "cats", "--unset", "foo"), "--unset foo: topics have no property foo"),
        (("create", "x", "-r", "3"), "INVALID_REPLICATION_FACTOR"),
        (("add-partitions", "cats", "1"), "INVALID_PARTITIONS"),
        (("describe", "nobody"), "nobody; `barnabas topics list` lists the topics"),
        (("describe", "cast"), "there is no topic cast; did you mean cats?"),
        (("delete", "nobody", "--yes"), "nobody"),
        (("config", "nobody"), "nobody"),
        (("config", "cats", "--set", "retention.ms=soon"), "retention.ms"),
        (("config", "cats", "--set", "no.such.thing=1"), "no.such.thing"),
    ]:
        done = broker.run("topics", *arguments)
        assert done.code == 1, arguments
        assert why in done.err, arguments
        assert len(done.err.splitlines()) == 1, done.err
