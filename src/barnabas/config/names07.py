"""Translate the broker properties of Kafka 0.7 to today's names and units.

Source: Kafka 0.7.2's KafkaConfig and its server.properties.
"""

from collections.abc import Mapping

_MINUTE_MS = 60_000

_TODAY: Mapping[str, str] = {
    "brokerid": "broker.id",
    "log.default.flush.interval.ms": "log.flush.interval.ms",
    "log.default.flush.scheduler.interval.ms": "log.flush.scheduler.interval.ms",
    "log.file.size": "log.segment.bytes",
    "log.flush.interval": "log.flush.interval.messages",
    "log.retention.size": "log.retention.bytes",
    "max.message.size": "message.max.bytes",
    "max.socket.request.bytes": "socket.request.max.bytes",
    "socket.receive.buffer": "socket.receive.buffer.bytes",
    "socket.send.buffer": "socket.send.buffer.bytes",
}
_IN_MINUTES: Mapping[str, str] = {"log.cleanup.interval.mins": "log.retention.check.interval.ms"}
_ADDRESS = ("hostname", "port")


def todays_names(given: Mapping[str, object]) -> dict[str, object]:
    """Return the properties under today's names. Unknown names and non-numbers stay as they are."""
    found: dict[str, object] = {}
    for name, value in given.items():
        dotted = name.replace("_", ".")
        text = str(value).strip()
        if dotted in _IN_MINUTES and text.isdecimal():
            found[_IN_MINUTES[dotted]] = int(text) * _MINUTE_MS
        elif dotted not in _ADDRESS:
            found[_TODAY.get(dotted, name)] = value
    if "port" in given and "listeners" not in given:
        found["listeners"] = f"PLAINTEXT://{given.get('hostname', '')}:{given['port']}"
    return found
