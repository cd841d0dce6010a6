import json
from collections.abc import Iterator

import click
import pytest

from barnabas.cli.main import barnabas
from tests.commands.served import Done, Served, run, serving


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral", "--set", "num.partitions=2") as served:
        yield served


def ended(done: Done) -> Done:
    assert done.code == 0, done.err
    return done


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_lines_go_in_and_come_out(broker: Served, codec: str) -> None:
    topic = f"lines-{codec}"
    lines = [f"line {number}" for number in range(3000)]
    ended(broker.run("produce", topic, "-p", "0", "-z", codec, stdin="\n".join(lines) + "\n"))
    assert ended(broker.run("consume", topic, "--from-beginning", "-e")).lines == lines


def test_keys_headers_and_formats(broker: Served) -> None:
    ended(
        broker.run(
            *("produce", "keyed", "-K", ":", "-H", "a=1", "-H", "b", "-Z"),
            stdin="rex:barks\nno key\ngone:\n",
        )
    )
    shown = ended(broker.run("consume", "keyed", "-o", "earliest", "-e", "-f", r"%k|%s|%S|%h\n"))
    assert sorted(shown.lines) == [
        "gone||-1|a=1,b=NULL",
        "rex|barks|5|a=1,b=NULL",
        "|no key|6|a=1,b=NULL",
    ]
    keys = ended(broker.run("consume", "keyed", "--from-beginning", "-e", "-K", "\\t"))
    assert "rex\tbarks" in keys.lines


def test_what_json_writes_json_reads(broker: Served) -> None:
    sent = [
        {"key": "a", "value": "1", "headers": {"h": "x"}, "partition": 0, "timestamp": 1000},
        {"key": None, "value": None, "partition": 0, "timestamp": 2000},
        {"key": "ü", "value": {"base64": "/w=="}, "partition": 0, "timestamp": 3000},
    ]
    stdin = "\n".join(json.dumps(one) for one in sent)
    ended(broker.run("produce", "first", "--json", stdin=stdin))
    copied = ended(broker.run("consume", "first", "--from-beginning", "-e", "--json"))
    ended(broker.run("produce", "second", "--json", stdin=copied.out))
    again = ended(broker.run("consume", "second", "--from-beginning", "-e", "--json"))
    first, second = ([json.loads(line) for line in done.lines] for done in (copied, again))
    assert [one | {"topic": "second"} for one in first] == second
    assert [one["timestamp"] for one in second] == [1000, 2000, 3000]
    assert second[2]["value"] == {"base64": "/w=="}


def test_where_to_begin_and_when_to_stop(broker: Served) -> None:
    rows = [
        json.dumps({"value": str(number), "partition": 0, "timestamp": 1_000_000 + number * 1000})
        for number in range(10)
    ]
    ended(broker.run("produce", "numbers", "--json", stdin="\n".join(rows)))

    def shown(*arguments: str) -> list[str]:
        return ended(broker.run("consume", "numbers", *arguments)).lines

    assert shown("-o", "7", "-e") == ["7", "8", "9"]
    assert shown("-o", "-2", "-e") == ["8", "9"]
    assert shown("-o", "@1005000", "-e") == ["5", "6", "7", "8", "9"]
    assert shown("--from-beginning", "-c", "3") == ["0", "1", "2"]
    assert shown("-o", "latest", "-e") == shown("-e") == []
    assert shown("-X", "auto.offset.reset=earliest", "-c", "2") == ["0", "1"]
    assert shown("-o", "1960-01-01T00:00:00+00:00", "-c", "1") == ["0"]
    assert shown("-o", "1970-01-01T00:16:48+00:00", "-e", "-p", "0") == ["8", "9"]


def test_a_record_of_a_megabyte(broker: Served) -> None:
    big = "x" * 1_000_000
    ended(broker.run("produce", "big", "-X", "max.request.size=1048588", stdin=big))
    assert ended(broker.run("consume", "big", "--from-beginning", "-e")).out == big + "\n"


def test_what_a_consumer_can_be_told_is_known(broker: Served) -> None:
    ended(broker.run("produce", "told", stdin="x\n"))
    told = ("-X", "group.id=g", "-X", "isolation.level=read_committed", "-X", "grup.id=g")
    done = ended(broker.run("consume", "told", "--from-beginning", "-e", *told))
    assert done.lines == ["x"]
    (line,) = done.err.splitlines()
    assert line.endswith("unknown property grup.id: the nearest known one is group.id")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("produce x --json -k a", "leave out -k, -K and -Z"),
        ("produce x --json -K :", "leave out -k, -K and -Z"),
        ("produce x --json -Z", "leave out -k, -K and -Z"),
        ("consume x --from-beginning -o 3", "--from-beginning and --offset"),
        ("consume x --json -f %s", "--json, --format and --key-delimiter"),
        ("consume x --json -K :", "--json, --format and --key-delimiter"),
        ("consume x -f %s -K :", "--json, --format and --key-delimiter"),
    ],
)
def test_options_that_contradict_each_other_are_wrong_usage(arguments: str, why: str) -> None:
    with pytest.raises(click.UsageError, match=why):
        barnabas.main(args=arguments.split(), standalone_mode=False)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("consume", "nowhere-to-be-found", "-e"), "nowhere-to-be-found"),
        (("consume", "lines-none", "-p", "9", "-e"), "partitions 0 to 1, not 9"),
        (("consume", "lines-none", "-o", "soon", "-e"), "--offset soon"),
        (("consume", "lines-none", "-f", "%q", "-e"), "%q in a format"),
        (("consume", "lines-none", "-o", "@99999999999999999999"), "it must be at most @9223372"),
        (("produce", "x", "--json"), "line 1 is not JSON"),
        (
            ("produce", "x", "-D", "zz", "-X", "max.request.size=3"),
            "line 1 is longer than a record may be",
        ),
        (("produce", "x", "-X", "acks=2"), "acks=2: it must be one of all, -1, 0, 1"),
    ],
)
def test_a_mistake_is_one_line(broker: Served, arguments: tuple[str, ...], why: str) -> None:
    ended(broker.run("produce", "lines-none", stdin="x\n"))
    done = broker.run(*arguments, stdin="no json\n")
    assert done.code == 1
    assert why in done.err
    assert "Traceback" not in done.err


def test_a_broker_that_is_not_there_is_named_with_what_to_do() -> None:
    done = run("topics", "list", "-X", "default.api.timeout.ms=1500", servers="localhost:1")
    assert done.code == 1
    assert "localhost:1" in done.err
    assert "barnabas serve" in done.err
    assert len(done.err.splitlines()) == 1
