"""Attacks by many connections: that say nothing, read nothing, or read byte by byte."""

import socket
import struct
import time
from contextlib import ExitStack

from tests.hostile.attacks.attack import Attack, Strike, Target
from tests.hostile.attacks.frames import unread
from tests.hostile.attacks.pipelined import DESCRIBE_CONFIGS
from tests.interop.brokers import InteropBroker
from tests.interop.raw import Raw, header, produce_7
from tests.record_batches import make_batch

_HELD_SECONDS = 2.0


def _flood(broker: Target) -> Strike:
    host, port = broker.bootstrap_servers.split(":")

    def strike(attackers: ExitStack) -> None:
        for _ in range(5000):
            attacker = attackers.enter_context(socket.socket())
            attacker.settimeout(0)
            attacker.connect_ex((host, int(port)))
        time.sleep(_HELD_SECONDS)

    return strike


def _byte_by_byte(broker: Target) -> Strike:
    def strike(attackers: ExitStack) -> None:
        reading = [attackers.enter_context(Raw(broker.bootstrap_servers)) for _ in range(300)]
        for attacker in reading:
            attacker.send_what_fits(DESCRIBE_CONFIGS * 100, 0.01)
        end = time.monotonic() + _HELD_SECONDS
        while time.monotonic() < end:
            # One that was closed has nothing to read any more.
            reading = [attacker for attacker in reading if attacker.read_one()]

    return strike


def _records(broker: Target) -> Strike:
    topic = InteropBroker(broker).new_topic()
    return unread(broker, produce_7(topic, bytes(make_batch(1)), acks=1) * 100_000)


def _half_frames(broker: Target) -> Strike:
    claim = struct.pack(">i", 90_000_000) + header(0, 7)
    return unread(broker, claim + bytes(120_000), 1000)


def _large_parts(broker: Target) -> Strike:
    claim = struct.pack(">i", 100_000_000) + header(0, 7)
    return unread(broker, claim + bytes(30_000_000), 20)


def _large_and_little(broker: Target) -> Strike:
    """A Produce of 100 MB that is answered, for its topic is not there, and the beginning of another."""
    whole = produce_7("no-such-topic", bytes(100_000_000))
    return unread(broker, whole + whole[:3000])


ATTACKS = (
    Attack("accept-flood", "5,000 connections at once that say nothing", _flood),
    Attack(
        "byte-by-byte",
        "300 connections with 100 DescribeConfigs each that read byte by byte",
        _byte_by_byte,
    ),
    Attack("records", "100,000 pipelined Produce of one record, replies unread", _records),
    Attack("half-frames", "1,000 connections with 120 KB each of a frame of 90 MB", _half_frames),
    Attack("large-parts", "20 connections with 30 MB each of a frame of 100 MB", _large_parts),
    Attack("large-and-little", "a Produce of 100 MB and 3 KB of another", _large_and_little),
)
