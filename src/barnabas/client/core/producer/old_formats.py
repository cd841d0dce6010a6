"""Batches as the message sets that Kafka before 0.11 takes. Sends nothing.

Source: KIP-31, KIP-32, KIP-98.
"""

from typing import Final

from barnabas.errors import BrokerError, ErrorCode
from barnabas.records.batches.batch import read_header
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.records.old_messages.set_writing import write_set
from barnabas.types import Buffer

NEWEST_MAGIC: Final = 2
_MAGIC_2_SINCE: Final = 3
_MAGIC_1_SINCE: Final = 2


def magic_of_produce(version: int) -> int:
    """The format of records in this version of Produce."""
    if version >= _MAGIC_2_SINCE:
        return NEWEST_MAGIC
    return 1 if version >= _MAGIC_1_SINCE else 0


def as_messages(payload: Buffer, magic: int) -> bytearray:
    """The records of a batch as a message set of magic 0 or 1, in the codec of the batch.

    Magic 0 has no timestamps.

    Raises:
        BrokerError: UNSUPPORTED_FOR_MESSAGE_FORMAT: a record has headers, or the codec is zstd.
    """
    codec = Codec(read_header(payload).codec)
    if codec is Codec.ZSTD:
        raise _refused("records are compressed with zstd")
    columns = decode_columns([payload], wanted=ColumnSelection.ALL, start=0, check_crcs=False)
    assert columns.headers is not None, "they were requested"
    if columns.headers.ends[columns.count]:
        raise _refused("a record has headers")
    return write_set(columns, magic, codec)


def _refused(what: str) -> BrokerError:
    return BrokerError(
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, f"{what}, which a broker before 0.11 cannot store"
    )
