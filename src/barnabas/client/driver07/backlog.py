"""Backlog: fetched messages that were not returned yet, and the group's progress."""

from collections import deque
from collections.abc import Iterable

from barnabas.client.driver07.group_fetcher import Chunk
from barnabas.client.driver07.membership import Place
from barnabas.records.messages07.message07 import Message


class Backlog:
    """Returns messages one by one, or all that are left. Iteration and polls may be mixed."""

    def __init__(self) -> None:
        self._chunks: deque[Chunk] = deque()
        self._given = self._done = 0
        """Of the first chunk: messages returned one by one, and the number of consumed ones."""
        self._consumed: dict[Place, int] = {}

    def __bool__(self) -> bool:
        return bool(self._chunks) and (
            len(self._chunks) > 1 or self._given < len(self._chunks[0].messages)
        )

    def add(self, chunks: Iterable[Chunk]) -> None:
        """Append messages."""
        self._chunks.extend(chunks)

    def next(self) -> Message | None:
        """Return one message; all earlier ones are consumed now."""
        self._done = self._given
        while self._chunks:
            messages = self._chunks[0].messages
            if self._given < len(messages):
                self._given += 1
                return messages[self._given - 1]
            self._end_first()
        return None

    def rest(self) -> list[Chunk]:
        """Return all that is left; it counts as consumed."""
        found = []
        while self._chunks:
            chunk = self._chunks[0]
            if self._given < len(chunk.messages):
                found.append(chunk._replace(messages=chunk.messages[self._given :]))
            self._end_first()
        return found

    def settle(self) -> None:
        """All returned messages are consumed, including the last one."""
        self._done = self._given

    def consumed(self) -> dict[Place, int]:
        """The group's next offset, by place."""
        found = self._consumed.copy()
        if self._done:
            topic, partition, messages, end = self._chunks[0]
            whole = self._done == len(messages)
            found[topic, partition] = end if whole else messages[self._done - 1].next_offset
        return found

    def keep_only(self, places: frozenset[Place]) -> None:
        """Drop all other places: their new owners continue with them."""
        if self._chunks and self._chunks[0][:2] not in places:
            self._given = self._done = 0
        self._chunks = deque(chunk for chunk in self._chunks if chunk[:2] in places)
        self._consumed = {each: at for each, at in self._consumed.items() if each in places}

    def _end_first(self) -> None:
        topic, partition, _, end = self._chunks.popleft()
        self._consumed[topic, partition] = end
        self._given = self._done = 0
