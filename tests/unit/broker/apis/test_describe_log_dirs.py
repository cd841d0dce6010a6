from typing import cast

from barnabas.broker.apis.describe_log_dirs import handle
from barnabas.broker.broker import Broker
from barnabas.errors import ErrorCode
from barnabas.protocol.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from tests.unit.broker.in_memory import Log, Logs, a_broker, asked


def broker_with_logs() -> tuple[Broker, Logs]:
    broker = a_broker()
    logs = cast("Logs", broker.logs)
    logs.there["/first"] += [Log("dogs", 0), Log("cats", 0)]
    logs.there["/second"].append(Log("dogs", 1))
    return broker, logs


def test_each_directory_tells_its_logs_and_how_full_its_volume_is() -> None:
    broker, _ = broker_with_logs()
    first, second = handle(broker, asked(4), DescribeLogDirsRequest(topics=None)).results
    assert (first.log_dir, first.total_bytes, first.usable_bytes) == ("/first", 1000, 400)
    assert [topic.name for topic in first.topics] == ["dogs", "cats"]
    (dogs,) = second.topics
    assert [(one.partition_index, one.partition_size) for one in dogs.partitions] == [(1, 100)]


def test_partitions_not_asked_for_are_left_out() -> None:
    broker, _ = broker_with_logs()
    wanted = [DescribableLogDirTopic(topic="dogs", partitions=[1, 9])]
    first, second = handle(broker, asked(4), DescribeLogDirsRequest(topics=wanted)).results
    assert first.topics == []
    assert [one.partition_index for topic in second.topics for one in topic.partitions] == [1]


def test_a_directory_that_is_lost_is_reported_as_such() -> None:
    broker, logs = broker_with_logs()
    logs.there["/lost"] = []
    *_, lost = handle(broker, asked(4), DescribeLogDirsRequest(topics=None)).results
    assert (lost.error_code, lost.total_bytes) == (ErrorCode.KAFKA_STORAGE_ERROR, -1)


def test_a_copy_on_its_way_here_has_a_row_that_says_how_far_it_is_behind() -> None:
    broker, logs = broker_with_logs()
    logs.futures.append(("/second", Log("dogs", 0), 7))
    first, second = handle(broker, asked(4), DescribeLogDirsRequest(topics=None)).results
    (dogs,) = second.topics
    rows = [(one.partition_index, one.offset_lag, one.is_future_key) for one in dogs.partitions]
    assert rows == [(1, 0, False), (0, 7, True)]
    assert not any(one.is_future_key for topic in first.topics for one in topic.partitions)
