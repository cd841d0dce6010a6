from typing import cast

import pytest

from barnabas.broker.apis.alter_replica_log_dirs import handle
from barnabas.errors import ErrorCode, StorageError
from barnabas.protocol.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from tests.unit.broker.in_memory import Log, Logs, a_broker, asked


@pytest.mark.parametrize(
    ("path", "topic", "code"),
    [
        ("/first", "dogs", ErrorCode.NONE),
        ("/second", "dogs", ErrorCode.POLICY_VIOLATION),
        ("/third", "dogs", ErrorCode.LOG_DIR_NOT_FOUND),
        ("/first", "cats", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("/first", "broken", ErrorCode.KAFKA_STORAGE_ERROR),
    ],
)
def test_a_log_stays_where_it_is(path: str, topic: str, code: ErrorCode) -> None:
    broker = a_broker()
    broken = Log("broken", 0)
    broken.failure = StorageError("offline")
    cast("Logs", broker.logs).there["/first"] += [Log("dogs", 0), broken]
    topics = [AlterReplicaLogDirTopic(name=topic, partitions=[0])]
    request = AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(path=path, topics=topics)])
    (result,) = handle(broker, asked(2), request).results
    assert [one.error_code for one in result.partitions] == [code]
