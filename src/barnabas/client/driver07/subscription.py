"""What consumers of a group say they want, in their nodes below /consumers/GROUP/ids.

Source: Kafka 0.7.2's TopicCount (`{ "dogs": 1 }`, `*2*white.*`, `!2!black`); samsa writes a topic's name.
"""

import json
import re
from collections.abc import Mapping


def encode_subscription(topics: Mapping[str, int]) -> bytes:
    """Threads by topic, to the byte as Kafka 0.7 writes it."""
    rows = ",".join(f'"{topic}": {threads}' for topic, threads in topics.items())
    return f"{{ {rows} }}".encode()


def threads_of(consumer: str, data: bytes, topic: str) -> list[str]:
    """The threads with which a consumer reads a topic; none where it does not, or says nonsense."""
    text = data.decode("utf-8", "replace").strip()
    if text[:1] in {"*", "!"}:
        return _numbered(consumer, _threads_by_pattern(text, topic))
    if not text.startswith("{"):
        return [consumer] if text == topic else []
    try:
        threads = json.loads(text)[topic]
    except (ValueError, KeyError, TypeError):
        return []
    return _numbered(consumer, threads if isinstance(threads, int) else 0)


def _numbered(consumer: str, threads: int) -> list[str]:
    return [f"{consumer}-{index}" for index in range(min(threads, _MOST_THREADS))]


_MOST_THREADS = 10_000
"""More than anybody runs: what says more than that is garbage."""


def _threads_by_pattern(text: str, topic: str) -> int:
    """Of `*4*white.*`: four threads for each topic that matches; `!` for those that do not."""
    mark = text[0]
    count, _, pattern = text[1:].partition(mark)
    try:
        matches = re.fullmatch(_normal(pattern), topic) is not None
        return int(count) if matches == (mark == "*") else 0
    except (ValueError, re.error):
        return 0


def _normal(pattern: str) -> str:
    return pattern.strip().replace(",", "|").replace(" ", "").strip("\"'")
