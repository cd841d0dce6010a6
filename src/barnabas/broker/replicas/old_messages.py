"""Convert messages of producers before Kafka 0.11 for topics of the current format."""

from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import BatchHeader, read_header
from barnabas.records.batches.unpacking import Unpacking
from barnabas.records.codecs.compression import Codec
from barnabas.records.old_messages.set_checks import SetRules, accept_set
from barnabas.types import Buffer

_MAGIC = 2


def batch_from_messages(
    messages: Buffer, config: LogConfig, unpacking: Unpacking | None
) -> tuple[memoryview, BatchHeader] | None:
    """The batch to append for a message set, as the topic stores it; None where nothing came.

    Raises:
        RefusedRecords: as `accept_set` and `Stored.recompress`.
    """
    largest, stored = config.max_message_bytes, config.stored
    codec = None if stored is None else Codec.NONE  # it is compressed afterwards
    rules = SetRules(
        _MAGIC, largest, codec, alone=config.lone_wrappers, nested=config.nested_wrappers
    )
    accepted = accept_set(messages, rules, unpacking=unpacking)
    if not accepted.count:
        return None
    made, header = memoryview(accepted.data), read_header(accepted.data)
    if stored is None:
        return made, header
    return stored.recompress(made, header, largest, unpacking)
