"""The subscriptions of a group's consumers, in their nodes below /consumers/GROUP/ids.

Source: Kafka 0.7.2's TopicCount (`{ "dogs": 1 }`, `*2*white.*`, `!2!black`); samsa writes a topic's
name.
"""

import json
import logging
import re
from collections.abc import Mapping

log = logging.getLogger(__name__)


def encode_subscription(topics: Mapping[str, int]) -> bytes:
    """Threads by topic, byte for byte as Kafka 0.7 writes it."""
    rows = ",".join(f'"{topic}": {threads}' for topic, threads in topics.items())
    return f"{{ {rows} }}".encode()


def threads_of(consumer: str, data: bytes, topic: str) -> list[str]:
    """The threads with which a consumer reads a topic; none if it does not.

    Malformed nodes are logged and skipped.
    """
    text = data.decode("utf-8", "replace").strip()
    by_pattern = text[:1] in {"*", "!"}
    if not by_pattern and not text.startswith("{"):
        return [consumer] if text == topic else []
    try:
        threads = (_threads_by_pattern if by_pattern else _threads_by_name)(text, topic)
    # JSON nested too deep, or a number too large for a pattern, is malformed too.
    except (ValueError, TypeError, re.error, RecursionError, OverflowError) as error:
        log.warning("invalid consumer node", extra={"consumer": consumer, "error": error})
        return []
    return [f"{consumer}-{index}" for index in range(min(threads, _MOST_THREADS))]


_MOST_THREADS = 10_000
"""More threads than any consumer runs: larger numbers are garbage."""


def _threads_by_name(text: str, topic: str) -> int:
    threads = json.loads(text).get(topic, 0)
    if not isinstance(threads, int):
        raise TypeError(f"{threads!r} is not a number of threads")
    return threads


def _threads_by_pattern(text: str, topic: str) -> int:
    """Parse `*4*white.*`: four threads for each topic that matches; `!` for those that do not."""
    mark = text[0]
    count, _, pattern = text[1:].partition(mark)
    matches = re.fullmatch(_normal(pattern), topic) is not None
    threads = int(count)
    return threads if matches == (mark == "*") else 0


def _normal(pattern: str) -> str:
    return pattern.strip().replace(",", "|").replace(" ", "").strip("\"'")
