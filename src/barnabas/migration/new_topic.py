"""The new topic of a migration: its record format, and how large its batches may be."""

from typing import Final

from barnabas.client.core.admin.descriptions import NewTopic, Resource
from barnabas.client.sync.admin import Admin
from barnabas.errors import ConfigError
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.encoding import EncodeOptions

_LARGEST_BATCH: Final = 1_000_000
_LIMIT: Final = "max.message.bytes"
_FORMAT: Final = "message.format.version"
_OLD, _TODAYS = "0.7", "3.0"


def create(admin: Admin, topic: str, partitions: int) -> None:
    """Create it in a current record format, even if the broker's default is that of 0.7."""
    broker = admin.describe_cluster().brokers[0]
    format_entry = admin.describe_configs(Resource.BROKER, str(broker.node_id)).get(
        f"log.{_FORMAT}"
    )
    is_old = format_entry is not None and format_entry.value == _OLD
    config: dict[str, str | None] = {_FORMAT: _TODAYS} if is_old else {}
    admin.create_topics([NewTopic(topic, partitions, configs=config)])


def encode_options(admin: Admin, topic: str, codec: Codec) -> EncodeOptions:
    """How its batches are made.

    Raises:
        ConfigError: it has the record format of Kafka 0.7.
    """
    config = admin.describe_configs(Resource.TOPIC, topic)
    if _FORMAT in config and config[_FORMAT].value == _OLD:
        raise ConfigError(f"{topic} has the record format of Kafka 0.7: --to names another topic")
    limit = config[_LIMIT].value if _LIMIT in config else None
    largest = min(int(limit or _LARGEST_BATCH), _LARGEST_BATCH)
    return EncodeOptions(codec, batch_bytes=largest, sealed=False)
