"""`barnabas registry`, and a broker whose registry is damaged: nothing is lost that a copy has."""

import json
from pathlib import Path

import pytest

from tests.commands.served import run, serving
from tests.crash.volumes import running

TOPICS = ("cats", "dogs", "mice")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The directory of a broker that has stopped, with three topics, each with a property."""
    with serving("--data-dir", str(tmp_path)) as broker:
        for topic in TOPICS:
            made = run("topics", "create", topic, "-c", "retention.ms=777", servers=broker.servers)
            assert made.code == 0, made.err
    return tmp_path


def damage(file: Path) -> bytes:
    """Change a byte of what is written of the second topic."""
    content = bytearray(file.read_bytes())
    content[content.index(b"/brokers/topics/dogs") + 40] ^= 0x20
    file.write_bytes(content)
    return bytes(content)


def retentions(data: Path) -> dict[str, str]:
    """`retention.ms` of all topics that a broker on the directory has."""
    with serving("--data-dir", str(data)) as broker:
        listed = run("topics", "list", servers=broker.servers).lines
        names = [line.split("\t")[0] for line in listed]
        found = {}
        for name in names:
            lines = run("topics", "config", name, servers=broker.servers).lines
            found[name] = {line.split("\t")[0]: line.split("\t")[1] for line in lines}
    return {name: own["retention.ms"] for name, own in found.items()}


@pytest.mark.parametrize("action", ["damage", "remove"])
def test_a_broker_takes_what_was_damaged_from_the_copy(data: Path, action: str) -> None:
    registry = data / "barnabas.registry"
    damaged = damage(registry) if action == "damage" else b""
    if action == "remove":
        registry.unlink()
    assert retentions(data) == dict.fromkeys(TOPICS, "777")
    kept = [file.read_bytes() for file in data.glob("barnabas.registry.old.*")]
    assert kept == ([damaged] if action == "damage" else [])


def test_one_that_no_copy_has_is_refused_with_a_command_that_keeps_the_rest(data: Path) -> None:
    registry = data / "barnabas.registry"
    damaged = damage(registry)
    damage(data / "barnabas.registry.copy")
    refused = run("serve", "--port", "0", "--data-dir", str(data))
    assert (refused.code, refused.out) == (1, "")
    assert f"{registry} is damaged at byte" in refused.err
    assert f"`barnabas registry repair {data}`" in refused.err
    assert "remove" not in refused.err
    checked = run("registry", "check", str(data))
    assert checked.code == 1
    assert "damaged: bytes" in checked.out
    assert registry.read_bytes() == damaged
    repaired = run("registry", "repair", str(data), "--json")
    assert repaired.code == 0, repaired.err
    found = json.loads(repaired.out)
    assert [one["state"].partition(":")[0] for one in found["copies_before"]] == ["damaged"] * 2
    again = run("registry", "repair", str(data))
    assert f"the registry is whole, which it was: {found['changes']} changes" in again.out
    assert (data / "barnabas.registry.old.1").read_bytes() == damaged
    assert run("registry", "check", str(data)).code == 0
    # One comes back from its logs, with its properties, which are whole.
    assert retentions(data) == dict.fromkeys(TOPICS, "777")


@pytest.mark.parametrize("content", [b"", bytes(500)], ids=["empty", "zeros"])
def test_one_with_nothing_in_it_is_kept_beside_and_topics_come_back(
    data: Path, content: bytes
) -> None:
    registry = data / "barnabas.registry"
    for file in (registry, data / "barnabas.registry.copy"):
        file.write_bytes(content)
    refused = run("serve", "--port", "0", "--data-dir", str(data))
    assert (refused.code, refused.out) == (1, "")
    assert f"{registry} has nothing of a registry of this version" in refused.err
    assert f"`barnabas registry repair {data}`" in refused.err
    assert registry.read_bytes() == content
    repaired = run("registry", "repair", str(data))
    assert repaired.code == 0, repaired.err
    kept = [file.read_bytes() for file in data.glob("barnabas.registry.old.*")]
    assert kept == ([content] if content else [])
    with serving("--data-dir", str(data)) as broker:
        lines = run("topics", "list", servers=broker.servers).lines
    assert sorted(line.split("\t")[0] for line in lines) == sorted(TOPICS)


def test_a_registry_in_use_is_not_repaired(data: Path) -> None:
    with serving("--data-dir", str(data)):
        refused = run("registry", "repair", str(data))
    assert (refused.code, refused.out) == (1, "")
    assert f"a broker is running on {data}: stop it first" in refused.err


def test_a_directory_without_one_is_named(tmp_path: Path) -> None:
    refused = run("registry", "check", str(tmp_path))
    assert (refused.code, refused.out) == (1, "")
    assert f"there is no barnabas.registry in {tmp_path}" in refused.err


@pytest.mark.parametrize("name", ["barnabas.registry", "barnabas.partitions"])
def test_a_start_without_what_was_there_is_reported(data: Path, name: str) -> None:
    """What is in a directory is served all the same."""
    for file in data.glob(f"{name}*"):
        if "registry" in name:
            file.unlink()
        else:
            file.write_bytes(b"?" + file.read_bytes()[1:])
    with running([data], data / "broker.log") as broker:
        listed = run("topics", "list", servers=broker.servers).lines
    assert [line.split("\t")[0] for line in listed] == [*TOPICS]
    text = (data / "broker.log").read_text()
    warning = (
        "no registry beside the logs" if "registry" in name else "inventory damaged and not used"
    )
    assert text.count("warning") == 1
    assert f"{warning}: " in text
    assert f"file={data}/{name}" in text
