import json

from tests.commands.served import run, serving


def test_releases_and_the_apis_of_one() -> None:
    listed = [line.split("\t") for line in run("profiles").lines]
    assert [row[0] for row in listed][:4] == ["0.7", "0.8.0", "0.8.1", "0.8.2"]
    assert all(int(offered) <= int(has) for _, offered, has in listed)
    rows = json.loads(run("profiles", "0.10.2.2", "--json").out)
    reported = {row["api"]: (row["kafka"], row["offered"], bool(row["why_not"])) for row in rows}
    assert reported["METADATA"] == ("0-2", "0-2", False)
    assert reported["LEADER_AND_ISR"] == ("0", None, True)


def test_the_requests_of_0_7() -> None:
    rows = [line.split("\t") for line in run("profiles", "0.7").lines]
    names = ["PRODUCE", "FETCH", "MULTIFETCH", "MULTIPRODUCE", "OFFSETS"]
    assert rows == [[str(key), name, "0", "0", ""] for key, name in enumerate(names)]


def test_what_is_no_release_is_refused() -> None:
    for command in (("profiles", "0.10"), ("serve", "--profile", "0.10")):
        ended = run(*command)
        assert ended.code == 2
        assert "0.10.0, 0.10.1, 0.10.2" in ended.err


def test_our_commands_say_what_an_old_broker_needs() -> None:
    with serving("--ephemeral", "--profile", "0.8.2") as broker:
        patient = ("-X", "bootstrap.refused.timeout.ms=3000")
        ended = broker.run("topics", "list", *patient)
        assert ended.code == 1
        assert ended.err.splitlines()[-1] == (
            f"barnabas: {broker.servers} closes the connection at ApiVersions; "
            "if it is a Kafka before 0.10, set broker.version.fallback to its release, for example "
            "0.9.0; in a command: -X broker.version.fallback=0.9.0"
        )
        old = ("-X", "broker.version.fallback=0.8.2")
        assert broker.run("produce", "cats", *old, stdin="tom\n").code == 0
        assert broker.run("topics", "list", *old).out.split()[0] == "cats"
        described = broker.run("topics", "describe", "cats", *old)
        assert described.lines == ["0\t1\t1\t1\t0\t1"]
        assert described.err == "properties of cats unknown: they need Kafka 0.11.0 or later\n"
        assert (
            json.loads(broker.run("topics", "describe", "cats", "--json", *old).out)["configs"]
            is None
        )
        (row,) = json.loads(broker.run("brokers", "--json", *old).out)
        assert (row["address"], row["leaders"], row["bytes"]) == (broker.servers, 1, None)
        watched = broker.run("top", "--once", "--interval", "0.1", *old).out
        assert "which needs Kafka 1.0 or later" in " ".join(watched.split())
    with serving("--ephemeral", "--profile", "0.10.2") as broker:
        ended = broker.run("produce", "dogs", stdin="rex\n")
        assert ended.code == 1
        assert "no version of InitProducerId" in ended.err
        assert "which needs Kafka 0.11.0 or later; enable.idempotence=false needs none" in ended.err
        assert (
            broker.run("produce", "dogs", "-X", "enable.idempotence=false", stdin="rex\n").code == 0
        )
