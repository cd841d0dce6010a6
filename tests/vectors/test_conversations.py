"""Requests of clients of every generation and the answers of Kafka, read and written again."""

from pathlib import Path

import pytest

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from tests.vectors.annotated import annotate, from_text, to_text, written

OF_GROUPS = (
    *(ApiKey.FIND_COORDINATOR, ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP, ApiKey.HEARTBEAT),
    *(ApiKey.LEAVE_GROUP, ApiKey.OFFSET_COMMIT, ApiKey.OFFSET_FETCH, ApiKey.OFFSET_DELETE),
    *(ApiKey.DESCRIBE_GROUPS, ApiKey.LIST_GROUPS, ApiKey.DELETE_GROUPS),
    *(ApiKey.INIT_PRODUCER_ID, ApiKey.ADD_PARTITIONS_TO_TXN, ApiKey.ADD_OFFSETS_TO_TXN),
    *(ApiKey.TXN_OFFSET_COMMIT, ApiKey.END_TXN),
    *(ApiKey.LIST_TRANSACTIONS, ApiKey.DESCRIBE_TRANSACTIONS),
    *(ApiKey.DESCRIBE_PRODUCERS, ApiKey.WRITE_TXN_MARKERS),
    *(ApiKey.CONSUMER_GROUP_HEARTBEAT, ApiKey.CONSUMER_GROUP_DESCRIBE),
    *(ApiKey.SHARE_GROUP_HEARTBEAT, ApiKey.SHARE_FETCH, ApiKey.SHARE_ACKNOWLEDGE),
    *(ApiKey.SHARE_GROUP_DESCRIBE, ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS),
    *(ApiKey.ALTER_SHARE_GROUP_OFFSETS, ApiKey.DELETE_SHARE_GROUP_OFFSETS),
    *(ApiKey.STREAMS_GROUP_HEARTBEAT, ApiKey.STREAMS_GROUP_DESCRIBE),
)
NOT_RECORDED = {
    ApiKey.HEARTBEAT: {0},
    ApiKey.DELETE_GROUPS: {3},
    ApiKey.INIT_PRODUCER_ID: {6},
    ApiKey.ADD_PARTITIONS_TO_TXN: {4},
    ApiKey.TXN_OFFSET_COMMIT: {6},
    # Of early access: no release answers them any more.
    ApiKey.SHARE_GROUP_HEARTBEAT: {0},
    ApiKey.SHARE_GROUP_DESCRIBE: {0},
    ApiKey.SHARE_FETCH: {0},
    ApiKey.SHARE_ACKNOWLEDGE: {0},
    # In no release yet.
    ApiKey.STREAMS_GROUP_HEARTBEAT: {1},
    ApiKey.STREAMS_GROUP_DESCRIBE: {1},
}
"""Versions in which none of the recorded clients asked, whatever it was offered.

Of the states of share groups (keys 83 to 87) there is nothing at all: Kafka asks itself without a
connection where the same broker has both.
"""

FILES = sorted(Path(__file__).with_name("conversations").glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_frames_say_what_is_written_beside_them(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    frames = list(from_text(text))
    for frame in frames:
        assert b"".join(data for data, _ in annotate(frame)) == frame.data
        assert written(frame) == frame.data
    assert "\n".join(map(to_text, frames)) == text


@pytest.fixture(scope="module")
def spoken() -> dict[ApiKey, set[int]]:
    """The versions in which each API is asked."""
    found: dict[ApiKey, set[int]] = {}
    for path in FILES:
        for frame in from_text(path.read_text(encoding="utf-8")):
            if frame.kind == "request":
                found.setdefault(frame.api, set()).add(frame.version)
    return found


def test_every_version_is_there(spoken: dict[ApiKey, set[int]]) -> None:
    # No release knows ApiVersions 5 by name; one client asks in it all the same.
    for api in (
        ApiKey.PRODUCE,
        ApiKey.FETCH,
        ApiKey.LIST_OFFSETS,
        ApiKey.METADATA,
        ApiKey.API_VERSIONS,
        ApiKey.CREATE_TOPICS,
        ApiKey.DELETE_RECORDS,
        ApiKey.OFFSET_FOR_LEADER_EPOCH,
    ):
        assert spoken[api] == set(DECLARED[api].versions), api


@pytest.mark.parametrize("api", OF_GROUPS, ids=lambda api: api.name)
def test_every_version_of_groups_and_transactions(
    api: ApiKey, spoken: dict[ApiKey, set[int]]
) -> None:
    assert spoken[api] == set(DECLARED[api].versions) - NOT_RECORDED.get(api, set())
