"""A Kafka client in 80 lines, without a library: produce and fetch. docs/tiny-driver.md explains it.

python examples/tiny_driver.py localhost:9092 greetings hello
"""

import socket
import struct
import sys
import time

PRODUCE, FETCH, METADATA = (0, 3), (1, 4), (3, 1)


def crc32c(data: bytes) -> int:
    """CRC-32C (Castagnoli), bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def text(value: str) -> bytes:
    return struct.pack(">h", len(value.encode())) + value.encode()


def varint(value: int) -> bytes:
    value, out = value << 1 ^ value >> 63, b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        value, shift, at = value | (data[at] & 127) << shift, shift + 7, at + 1
        if data[at - 1] < 128:
            return value >> 1 ^ -(value & 1), at


def batch(value: bytes) -> bytes:
    """A record batch (magic 2) with one record without key and headers."""
    record = b"\0" + varint(0) + varint(0) + varint(-1) + varint(len(value)) + value + varint(0)
    record, now = varint(len(record)) + record, int(time.time() * 1000)
    body = struct.pack(">hiqqqhii", 0, 0, now, now, -1, -1, -1, 1) + record
    return struct.pack(">qiibI", 0, len(body) + 9, -1, 2, crc32c(body)) + body


def values(batch: bytes) -> list[bytes]:
    """The values of an uncompressed batch."""
    found, at = [], 61
    for _ in range(struct.unpack_from(">i", batch, 57)[0]):
        size, at = read_varint(batch, at)
        end, field = at + size, at + 1
        for _ in range(2):  # timestamp and offset, both relative
            _, field = read_varint(batch, field)
        length, field = read_varint(batch, field)
        length, field = read_varint(batch, field + max(length, 0))
        found.append(batch[field : field + length])
        at = end
    return found


def ask(broker: socket.socket, api: tuple[int, int], body: bytes) -> bytes:
    frame = struct.pack(">hhi", *api, 7) + text("tiny") + body
    broker.sendall(struct.pack(">i", len(frame)) + frame)
    stream = broker.makefile("rb")
    return stream.read(struct.unpack(">i", stream.read(4))[0])[4:]


def main(host: str, port: int, topic: str, value: str) -> None:
    with socket.create_connection((host, port)) as broker:
        ask(broker, METADATA, struct.pack(">i", 1) + text(topic))  # creates it, where allowed
        place = struct.pack(">i", 1) + text(topic) + struct.pack(">ii", 1, 0)
        sent = batch(value.encode())
        head = struct.pack(">hhi", -1, -1, 5000)
        answer = ask(broker, PRODUCE, head + place + struct.pack(">i", len(sent)) + sent)
        error, offset = struct.unpack_from(">hq", answer, 4 + len(text(topic)) + 8)
        print("stored at offset", offset, "with error", error)
        limits = struct.pack(">iiiib", -1, 500, 1, 1 << 20, 0)
        answer = ask(broker, FETCH, limits + place + struct.pack(">qi", offset, 1 << 20))
        at = 4 + 4 + len(text(topic)) + 4 + 4 + 2 + 8 + 8
        (aborted,) = struct.unpack_from(">i", answer, at)
        print("fetched", values(answer[at + 8 + 16 * max(aborted, 0) :]))


if __name__ == "__main__":
    where, _, number = sys.argv[1].rpartition(":")
    main(where, int(number), *sys.argv[2:4])
