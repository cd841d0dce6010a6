import json

from tests.commands.served import run


def test_releases_and_the_apis_of_one() -> None:
    listed = [line.split("\t") for line in run("profiles").lines]
    assert [row[0] for row in listed][:3] == ["0.8.0", "0.8.1", "0.8.2"]
    assert all(int(offered) <= int(has) for _, offered, has in listed)
    rows = json.loads(run("profiles", "0.10.2.2", "--json").out)
    assert {"key": 3, "api": "METADATA", "kafka": "0-2", "offered": "0-2"} in rows
    assert {"key": 4, "api": "LEADER_AND_ISR", "kafka": "0", "offered": None} in rows


def test_what_is_no_release_is_refused() -> None:
    for command in (("profiles", "0.10"), ("serve", "--profile", "0.10")):
        ended = run(*command)
        assert ended.code == 1
        assert "0.10.0, 0.10.1, 0.10.2" in ended.err
