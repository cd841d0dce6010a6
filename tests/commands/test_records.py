import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from barnabas.cli.main import barnabas
from tests.commands.served import (
    BARNABAS,
    SECONDS,
    Done,
    Served,
    but_for_waiting,
    environment,
    run,
    serving,
)


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
            stdin="rex:barks\n",
        )
    )
    ended(broker.run("produce", "keyed", "-H", "a=1", "-H", "b", stdin="no key\n"))
    ended(broker.run("produce", "keyed", "-K", ":", "-H", "a=1", "-H", "b", "-Z", stdin="gone:\n"))
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


def test_options_of_a_consumer_are_known(broker: Served) -> None:
    ended(broker.run("produce", "labelled", stdin="x\n"))
    given = (
        "-X",
        "group.id=g",
        "-X",
        "isolation.level=read_committed",
        "-X",
        "ssl.cipher.suites=a",
    )
    done = ended(broker.run("consume", "labelled", "--from-beginning", "-e", *given))
    assert done.lines == ["x"]
    done = broker.run("consume", "labelled", *given, "-X", "grup.id=g")
    assert (done.code, done.out) == (2, "")
    assert "-X grup.id: unknown property; did you mean group.id?" in done.err


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
        (("consume", "a-line", "-p", "9", "-e"), "partitions 0 to 1, not 9"),
        (("consume", "a-line", "-o", "99999", "-e"), "99999 is after the end of every part"),
        (("consume", "a-line", "-o", "@99999999999999999999"), "it must be at most @9223372"),
        (("produce", "x", "--json"), "line 1 is not JSON"),
        (
            ("produce", "x", "-D", "zz", "-X", "max.request.size=3"),
            "line 1 exceeds the maximum size of a record",
        ),
    ],
)
def test_a_mistake_is_one_line(broker: Served, arguments: tuple[str, ...], why: str) -> None:
    ended(broker.run("produce", "a-line", stdin="x\n"))
    done = broker.run(*arguments, stdin="no json\n")
    assert done.code == 1
    assert why in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("produce", "x", "-X", "acks=2"), "acks=2: it must be one of all, -1, 0, 1"),
        (("topics", "list", "-X", "fetch.min.bytes=abc"), "fetch.min.bytes=abc: "),
        (("serve", "--set", "num.partitions=0"), "num.partitions=0: it must be at least 1"),
        (("quotas", "--ip", "::1", "--set", "connection_creation_rate=many"), "must be a number"),
        (("wire", "explain", "no-such.pcap"), "there is no file no-such.pcap"),
    ],
)
def test_a_value_that_cannot_be_is_wrong_usage(arguments: tuple[str, ...], why: str) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert why in done.err


def test_who_reads_only_the_first_lines_ends_the_command_well(broker: Served) -> None:
    ended(
        broker.run("produce", "much-to-read", stdin="x" * 99 + "\n" * 1 + ("y" * 99 + "\n") * 9999)
    )
    command = [*BARNABAS, "consume", "much-to-read", "--from-beginning", "-e"]
    with subprocess.Popen(
        command,
        env=environment(broker.servers),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as reading:
        assert reading.stdout is not None
        assert reading.stderr is not None
        assert len(reading.stdout.readline()) == 100
        reading.stdout.close()
        assert but_for_waiting(reading.stderr.read().decode()) == ""
    assert reading.returncode == 0


def test_an_offset_that_is_none_is_wrong_usage(broker: Served) -> None:
    ended(broker.run("produce", "a-line", stdin="x\n"))
    done = broker.run("consume", "a-line", "-o", "soon", "-e")
    assert done.code == 2
    assert "--offset soon: expected earliest, latest, a number" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("topics", "list"),
        ("consume", "x"),
        ("produce", "x"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_broker_that_is_not_there_is_named_with_what_to_do(arguments: tuple[str, ...]) -> None:
    soon = ("-X", "bootstrap.refused.timeout.ms=500")  # As soon as it has refused, at least.
    done = run(*arguments, *soon, stdin="x\n", servers="localhost:1")
    assert done.code == 1
    (line,) = done.err.splitlines()
    assert line.count("localhost:1") == 1
    assert line == (
        "barnabas: no broker at localhost:1 (Connection refused); start one with "
        "`barnabas serve --port 1`, or name another with -b"
    )


def test_a_word_comes_before_the_error_where_no_broker_answers() -> None:
    waiting = ("topics", "list", "-X", "default.api.timeout.ms=7000")
    printed = run(*waiting, servers="localhost:1", waiting=True).err.splitlines()
    assert printed[0] == "barnabas: localhost:1 has not answered yet, still trying (Ctrl-C to stop)"
    assert len(printed) == 2


def test_a_broken_line_is_named_and_what_came_before_is_stored(broker: Served) -> None:
    stdin = '{"value": "one"}\n{"value": "two"}\nbroken\n{"value": "four"}\n'
    done = broker.run("produce", "broken", "--json", stdin=stdin)
    assert done.code == 1
    (line,) = done.err.splitlines()
    assert line.startswith("barnabas: line 3 is not JSON: ")
    assert line.endswith("; 2 records were stored")
    shown = ended(broker.run("consume", "broken", "--from-beginning", "-e"))
    assert sorted(shown.lines) == ["one", "two"]


def test_a_misspelt_field_is_no_tombstone(broker: Served) -> None:
    done = broker.run("produce", "misspelt", "--json", stdin='{"valu": "5"}\n')
    assert done.code == 1
    (line,) = done.err.splitlines()
    assert line == "barnabas: line 1: a record has no field valu: did you mean value?"


@pytest.mark.parametrize("arguments", [(), ("-k", "all", "-K", ":")], ids=str)
def test_a_record_that_the_broker_refuses_is_named_by_its_line(
    broker: Served, arguments: tuple[str, ...]
) -> None:
    topic = f"refusing-{len(arguments)}"
    small = ("topics", "create", topic, "-p", "1", "-c", "max.message.bytes=2000")
    assert broker.run(*small).code == 0
    big = "".join(chr(33 + number * number % 90) for number in range(9000))
    lines = ["x" * 50] * 300 + [big] + ["y"] * 10
    done = broker.run("produce", topic, *arguments, stdin="\n".join(lines))
    assert done.code == 1
    (line,) = done.err.splitlines()
    assert "MESSAGE_TOO_LARGE" in line
    assert line.endswith("; this was line 301; 310 records were stored")
    shown = ended(broker.run("consume", topic, "--from-beginning", "-e"))
    assert len(shown.lines) == 310


def test_a_record_too_large_for_the_producer_is_named_by_its_line(broker: Served) -> None:
    limit = ("-X", "max.request.size=2000", "-D", "|")
    done = broker.run("produce", "limited", *limit, stdin="a|" + "x" * 1999 + "|b")
    assert done.code == 1
    assert done.err.endswith("; this was line 2; 1 record was stored\n")


def test_a_key_of_all_and_a_key_of_its_own(broker: Served) -> None:
    ended(broker.run("produce", "keys", "-k", "all", "-K", ":", stdin="own:a\nb\n"))
    shown = ended(broker.run("consume", "keys", "--from-beginning", "-e", "-K", "="))
    assert sorted(shown.lines) == ["all=b", "own=a"]


def test_help_shows_its_examples_one_a_line() -> None:
    shown = run("produce", "--help").lines
    assert "    echo hello | barnabas produce greetings" in shown
    assert "    printf 'rex:barks\\ntom:purrs\\n' | barnabas produce -K : animals" in shown


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
def test_a_full_disk_behind_the_output_is_one_line(broker: Served) -> None:
    ended(broker.run("produce", "much", stdin="x\n" * 5000))
    command = [*BARNABAS, "consume", "much", "--from-beginning", "-e"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command,
            env=environment(broker.servers),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    assert done.returncode == 1
    assert but_for_waiting(done.stderr).splitlines() == [
        "barnabas: cannot read or write: [Errno 28] No space left on device"
    ]


def test_a_line_without_the_delimiter_of_keys_is_an_error(broker: Served) -> None:
    done = broker.run("produce", "unkeyed", "-K", ":", stdin="a:1\nno key\n")
    assert done.code != 0
    assert (
        "line 2 has no ':' (-K) between key and value; -k names the key of such lines" in done.err
    )
    kept = ended(broker.run("consume", "unkeyed", "--from-beginning", "-e"))
    assert kept.lines == ["1"], "what came before it is sent"
