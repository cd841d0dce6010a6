"""Records of long ago, and what the retention of a new topic does to them."""

import logging

import pytest

from barnabas import Admin, NewTopic, Producer
from barnabas.pipelines.retention import oldest_timestamps, warn_of_old_records
from barnabas.pipelines.topic_frames import ClusterAddress, present_ranges
from barnabas.testing import EmbeddedBroker

LONG_AGO_MS = 1_000_000_000_000
"""In September 2001."""


def test_the_oldest_record_of_each_topic_is_found() -> None:
    with (
        EmbeddedBroker() as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
    ):
        for topic in ("dogs", "empty"):
            broker.create_topic(topic, 2)
        for partition, at in ((0, LONG_AGO_MS + 5), (0, LONG_AGO_MS), (1, LONG_AGO_MS + 7)):
            producer.send("dogs", "x", partition=partition, timestamp_ms=at)
        producer.flush()
        cluster = ClusterAddress(bootstrap_servers=broker.bootstrap_servers)
        ranges = present_ranges(cluster, ["dogs", "empty"])
        assert oldest_timestamps(cluster, ranges) == {"dogs": LONG_AGO_MS}


def test_a_topic_that_would_delete_them_is_named_with_the_command_that_keeps_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with EmbeddedBroker() as broker, Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        admin.create_topics(
            [
                NewTopic("deleting", 1),
                NewTopic("keeping", 1, configs={"retention.ms": "-1"}),
                NewTopic("compacted", 1, configs={"cleanup.policy": "compact"}),
                NewTopic("stamped", 1, configs={"message.timestamp.type": "LogAppendTime"}),
            ]
        )
        cluster = ClusterAddress(bootstrap_servers=broker.bootstrap_servers)
        oldest = dict.fromkeys(("deleting", "keeping", "compacted", "stamped"), LONG_AGO_MS)
        with caplog.at_level(logging.WARNING):
            warn_of_old_records(admin, oldest, cluster)
            warn_of_old_records(admin, {"deleting": 1 << 52}, cluster)
        assert caplog.messages == [
            (
                "deleting: its oldest record is of 2001-09-09 01:46 UTC, and the target deletes it by "
                "retention.ms=604800000. To keep it: barnabas topics config deleting --set "
                f"retention.ms=-1 -b {broker.bootstrap_servers}"
            )
        ]
