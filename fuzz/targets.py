"""What is fuzzed: functions of bytes that return, or raise an error of the kind they promise."""

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass

from barnabas.broker.dispatch import SERVED
from barnabas.dialects.kafka.requests import KafkaDialect, MessageCodecs
from barnabas.errors import CorruptRecord, DecodeError
from barnabas.log.inspection.segments import InspectedBatch, examine
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import (
    RequestHeader,
    decode_response,
    encode_request,
    encode_response,
    read_request_header,
)
from barnabas.records.batches.batch import CRC_FROM, HEADER_SIZE, walk
from barnabas.records.batches.checks import check_produced
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import Codec as Compression
from barnabas.records.codecs.compression import compress, decompress
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.records.columns.reading import decode_records
from barnabas.records.old_messages.convert import convert
from barnabas.records.old_messages.set_checks import SetRules, accept_set
from barnabas.types import Buffer
from barnabas.wire.compiler import Codec
from barnabas.wire.framing import FrameSplitter
from barnabas.wire.schema import declaration_of
from barnabas.wire.send import Send
from fuzz.messages import make_message
from fuzz.stored import examine_small_file, own_record, small_file, tell_own_record
from tests.declarations import every_record
from tests.message_sets import message, wrapper
from tests.record_batches import make_batch

LIMIT = 1 << 20
RECORDS = tuple(every_record())
ALLOWED = (DecodeError, CorruptRecord, RefusedRecords)


@dataclass(frozen=True, slots=True)
class Target:
    """`start` makes a valid input from chance; `run` takes any input."""

    name: str
    start: Callable[[random.Random], bytes]
    run: Callable[[bytes], None]

    def survives(self, data: bytes) -> bool:
        """Whether the input was taken; False where it was refused as promised.

        Raises:
            Exception: whatever else the target raised: a finding.
        """
        try:
            self.run(data)
        except ALLOWED:
            return False
        return True


def _joined(send: Send) -> bytes:
    parts = []
    for part in send.parts:
        assert isinstance(part, bytes | bytearray | memoryview)
        parts.append(bytes(part))
    return b"".join(parts)


def _any_request(chance: random.Random) -> bytes:
    api = DECLARED[chance.choice(list(ApiKey))]
    version = chance.randrange(api.versions.first, api.versions.last + 1)
    header = RequestHeader(api.key, version, chance.randrange(1 << 31), "fuzz")
    return _joined(encode_request(header, make_message(api.request, version, chance)))[4:]


def _read_request(data: bytes) -> None:
    header, position = read_request_header(memoryview(data))
    api = DECLARED[header.api_key]
    if header.api_version in api.versions:
        codec: Codec[object] = Codec.of(api.request, header.api_version)
        codec.decode(memoryview(data), position)


def _any_response(chance: random.Random) -> bytes:
    """Two bytes that say which API and version, then the frame."""
    api = DECLARED[chance.choice(list(ApiKey))]
    version = chance.randrange(api.versions.first, api.versions.last + 1)
    message = make_message(api.response, version, chance)
    frame = _joined(encode_response(api.key, version, 7, message))[4:]
    return bytes((api.key, version)) + frame


def _read_response(data: bytes) -> None:
    if len(data) < 2 or data[0] >= len(ApiKey):
        return
    api = DECLARED[ApiKey(data[0])]
    if data[1] in api.versions:
        decode_response(api.key, data[1], memoryview(data)[2:])


def _any_record(chance: random.Random) -> bytes:
    """Two bytes that say which record and version, then the record."""
    number = chance.randrange(len(RECORDS))
    versions = declaration_of(RECORDS[number]).versions
    version = chance.randrange(versions.first, versions.last + 1)
    codec: Codec[object] = Codec.of(RECORDS[number], version)
    return bytes((number, version)) + codec.encode(make_message(RECORDS[number], version, chance))


def _read_record(data: bytes) -> None:
    if len(data) < 2 or data[0] >= len(RECORDS):
        return
    record = RECORDS[data[0]]
    if data[1] in declaration_of(record).versions:
        codec: Codec[object] = Codec.of(record, data[1])
        codec.decode(data, 2)


def _frames(chance: random.Random) -> bytes:
    sizes = [chance.randrange(40) for _ in range(chance.randrange(1, 6))]
    return b"".join(size.to_bytes(4, "big") + chance.randbytes(size) for size in sizes)


def _split(data: bytes) -> None:
    splitter = FrameSplitter(LIMIT)
    taken = sum(len(frame) + 4 for frame in splitter.feed(memoryview(data)))
    assert taken <= len(data)


def _batch(chance: random.Random) -> bytes:
    return bytes(make_batch(chance.randrange(1, 9), size=chance.randrange(400)))


def _check(data: Buffer) -> None:
    header = check_produced(memoryview(bytearray(data)), LIMIT)
    assert header.size == len(data)


def _check_sealed(data: bytes) -> None:
    """As `_check`, with a size and a CRC that are right whatever else is wrong."""
    sealed = bytearray(data)
    if len(sealed) >= HEADER_SIZE:
        struct.pack_into(">i", sealed, 8, len(sealed) - 12)
        struct.pack_into(">I", sealed, 17, crc32c(memoryview(sealed)[CRC_FROM:]))
    _check(sealed)


def _walk(data: bytes) -> None:
    assert sum(header.size for header in walk(memoryview(data))) <= len(data)


def _compressed(chance: random.Random) -> bytes:
    codec = chance.choice(list(Compression))
    body = chance.randbytes(chance.randrange(60)) * chance.randrange(1, 20)
    return bytes((codec,)) + bytes(compress(codec, body))


def _decompress(data: bytes) -> None:
    if data:
        assert len(decompress(data[0], data[1:], LIMIT)) <= max(LIMIT, len(data))


def _messages(chance: random.Random) -> bytes:
    """Messages of magic 0 and 1, compressed ones and batches, one behind the other."""
    parts = []
    for _ in range(chance.randrange(1, 5)):
        timestamp = chance.choice((None, 5))
        offset = chance.randrange(9)
        each = message(offset, chance.choice((None, b"", b"k")), b"value", timestamp=timestamp)
        if chance.randrange(3) == 0:
            codec = chance.choice((Compression.GZIP, Compression.SNAPPY, Compression.LZ4))
            each = wrapper(offset, [each, each], codec, timestamp=timestamp)
        parts.append(_batch(chance) if chance.randrange(5) == 0 else each)
    return b"".join(parts)


def _sent(chance: random.Random) -> bytes:
    """What an old producer sends: messages, or one around them."""
    timestamp = chance.choice((None, 5))
    plain = [message(at, b"k", b"value", timestamp=timestamp) for at in range(3)]
    codec = chance.choice((Compression.GZIP, Compression.SNAPPY, Compression.LZ4))
    if chance.randrange(2):
        return b"".join(plain)
    return wrapper(2, plain, codec, timestamp=timestamp)


def _decode_messages(data: bytes) -> None:
    """Without CRCs, which would hide what is behind them."""
    columns = decode_columns([data], wanted=ColumnSelection.ALL, start=0, check_crcs=False)
    records, next_offset = decode_records(data, "t", 0, check_crcs=False)
    assert (len(records), next_offset) == (columns.count, columns.next_offset)


def _convert(data: bytes) -> None:
    for magic in range(3):
        convert(data, magic, upwards=bool(len(data) & 1), limit=LIMIT)


def _accept(data: bytes) -> None:
    for magic in range(3):
        accept_set(data, SetRules(magic, LIMIT))


def _examine(data: bytes) -> None:
    sizes = [
        each.header.size
        for each in examine(memoryview(data), 0)
        if isinstance(each, InspectedBatch)
    ]
    assert sum(sizes) <= len(data)


def _conversation(chance: random.Random) -> bytes:
    """A few requests that are served; Produce often, which is read by comparing with the last."""
    frames = []
    for _ in range(chance.randrange(1, 4)):
        key = ApiKey.PRODUCE if chance.randrange(2) else chance.choice(list(SERVED))
        version = chance.randrange(SERVED[key].first, SERVED[key].last + 1)
        header = RequestHeader(key, version, chance.randrange(1 << 31), "fuzz")
        request = make_message(DECLARED[key].request, version, chance)
        frames.append(_joined(encode_request(header, request)))
    return b"".join(frames)


def _listen(data: bytes) -> None:
    dialect = KafkaDialect(MessageCodecs(SERVED))
    for frame in FrameSplitter(LIMIT).feed(memoryview(data)):
        dialect.read_request(frame)


TARGETS = {
    target.name: target
    for target in (
        Target("frames", _frames, _split),
        Target("request", _any_request, _read_request),
        Target("response", _any_response, _read_response),
        Target("record", _any_record, _read_record),
        Target("produced", _batch, _check),
        Target("sealed", _batch, _check_sealed),
        Target("walk", _batch, _walk),
        Target("decompress", _compressed, _decompress),
        Target("messages", _messages, _decode_messages),
        Target("convert", _messages, _convert),
        Target("accept", _sent, _accept),
        Target("examine", _messages, _examine),
        Target("small file", small_file, examine_small_file),
        Target("own record", own_record, tell_own_record),
        Target("conversation", _conversation, _listen),
    )
}
