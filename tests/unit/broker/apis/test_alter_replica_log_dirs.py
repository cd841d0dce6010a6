from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from barnabas.broker.apis.alter_replica_log_dirs import handle
from barnabas.broker.broker import Broker
from barnabas.broker.replicas.log_moves import LogMoves
from barnabas.errors import ErrorCode, StorageError
from barnabas.log.manager import LogManager
from barnabas.protocol.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from barnabas.types import Topic, TopicPartition
from tests.unit.broker.in_memory import a_broker, asked
from tests.unit.log.test_manager import DOGS, SMALL, TOPIC_ID, a_manager


class Two(NamedTuple):
    """A broker with two log directories, and dogs in the first."""

    broker: Broker
    logs: LogManager
    first: str
    second: str

    def ask(self, path: str, topic: str) -> ErrorCode:
        topics = [AlterReplicaLogDirTopic(name=topic, partitions=[0])]
        request = AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(path=path, topics=topics)])
        (result,) = handle(self.broker, asked(2), request).results
        (row,) = result.partitions
        return ErrorCode(row.error_code)


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    broker = a_broker()
    logs = a_manager(tmp_path / "first", tmp_path / "second")
    logs.open()
    broker.logs = logs
    broker.log_moves = LogMoves(broker.config, logs, broker.clock, broker.timers, lambda: None)
    logs.futures.prefer(DOGS, str(tmp_path / "first"))
    logs.create(DOGS, TOPIC_ID, SMALL)
    yield Two(broker, logs, str(tmp_path / "first"), str(tmp_path / "second"))
    logs.close()


def test_a_log_is_moved_there_and_called_back(two: Two) -> None:
    assert two.ask(two.first, "dogs") == ErrorCode.NONE
    assert [*two.logs.futures] == []
    for _ in range(2):
        assert two.ask(two.second, "dogs") == ErrorCode.NONE
        assert [*two.logs.futures] == [DOGS]
        assert len(two.logs.futures.in_directory(two.second)) == 1
    assert two.ask(two.first, "dogs") == ErrorCode.NONE
    assert [*two.logs.futures] == []


def test_what_is_not_there_is_refused(two: Two) -> None:
    assert two.ask("/third", "dogs") == ErrorCode.LOG_DIR_NOT_FOUND
    assert two.ask("/third", "cats") == ErrorCode.LOG_DIR_NOT_FOUND
    assert two.ask(two.first, "cats") == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    log = two.logs.get(DOGS)
    assert log is not None
    log.fail(StorageError("gone"))
    assert two.ask(two.second, "dogs") == ErrorCode.KAFKA_STORAGE_ERROR


@pytest.mark.parametrize("is_member", [False, True])
def test_a_member_remembers_where_a_log_is_wanted_that_it_does_not_have_yet(
    two: Two, *, is_member: bool
) -> None:
    topics = two.broker.topics
    topics._keep(Topic("cats", TOPIC_ID, {0: [7]}, {}))
    topics.are_shared = is_member
    code = ErrorCode.REPLICA_NOT_AVAILABLE if is_member else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert two.ask(two.first, "cats") == code
    log = two.logs.create(TopicPartition("cats", 0), TOPIC_ID, SMALL)
    # Without a wish it goes where there are fewer.
    assert Path(log.directory).parent == Path(two.first if is_member else two.second)
