"""A server.properties of Kafka 0.7 under the names of today."""

from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import dialect_of, listeners
from barnabas.config.names07 import todays_names


def test_a_server_properties_of_07() -> None:
    config = BrokerConfig.load(
        {
            "brokerid": "7",
            "hostname": "127.0.0.1",
            "port": "9192",
            "log.dir": "logs",
            "num.partitions": "3",
            "topic.partition.count.map": "dogs:4, cats:5",
            "log.flush.interval": "10000",
            "log.default.flush.interval.ms": "1000",
            "log.default.flush.scheduler.interval.ms": "1000",
            "log.retention.hours": "168",
            "log.retention.size": "1000",
            "log.file.size": "536870912",
            "log.cleanup.interval.mins": "2",
            "max.socket.request.bytes": "1000",
            "max.message.size": "999",
            "socket.send.buffer": "1048576",
            "socket.receive.buffer": "1048577",
        },
        release="0.7",
    )
    (endpoint,) = listeners(config)
    assert endpoint == ("PLAINTEXT", "127.0.0.1", 9192)
    assert dialect_of(config, "PLAINTEXT") == "kafka-0.7"
    assert (config.node_id, config.directories, config.num_partitions) == (7, ("logs",), 3)
    assert [config.partitions_of_new(one, 3) for one in ("dogs", "cats", "birds")] == [4, 5, 3]
    assert config.log_flush_interval_messages == 10_000
    assert config.log_flush_interval_ms == 1000
    assert config.log_retention_bytes == 1000
    assert config.log_segment_bytes == 536_870_912
    assert config.log_retention_check_interval_ms == 120_000
    assert (config.socket_request_max_bytes, config.message_max_bytes) == (1000, 999)
    assert config.socket_send_buffer_bytes == 1_048_576
    assert config.socket_receive_buffer_bytes == 1_048_577


def test_what_is_not_of_07_stays() -> None:
    given = {"listeners": "A://:1", "port": "2", "log.cleanup.interval.mins": "often"}
    assert todays_names(given) == {"listeners": "A://:1", "log.cleanup.interval.mins": "often"}


def test_defaults_are_those_of_07() -> None:
    config = BrokerConfig.load({}, release="0.7")
    assert listeners(config)[0].port == 9092
    today = BrokerConfig.load({})
    assert config.group_max_session_timeout_ms == today.group_max_session_timeout_ms
    assert config.offsets_retention_minutes == today.offsets_retention_minutes
    assert config.log_message_format_version == "0.7"
    assert (config.log_segment_bytes, config.message_max_bytes) == (536_870_912, 1_000_000)
