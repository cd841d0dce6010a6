import json

from tests.commands.served import run


def test_releases_and_the_apis_of_one() -> None:
    listed = [line.split("\t") for line in run("profiles").lines]
    assert [row[0] for row in listed][:3] == ["0.8.0", "0.8.1", "0.8.2"]
    assert all(int(offered) <= int(has) for _, offered, has in listed)
    rows = json.loads(run("profiles", "0.10.2.2", "--json").out)
    told = {row["api"]: (row["kafka"], row["offered"], bool(row["why_not"])) for row in rows}
    assert told["METADATA"] == ("0-2", "0-2", False)
    assert told["LEADER_AND_ISR"] == ("0", None, True)


def test_what_is_no_release_is_refused() -> None:
    for command in (("profiles", "0.10"), ("serve", "--profile", "0.10")):
        ended = run(*command)
        assert ended.code == 1
        assert "0.10.0, 0.10.1, 0.10.2" in ended.err
