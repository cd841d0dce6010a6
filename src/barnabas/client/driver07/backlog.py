"""Backlog: what was fetched and is not handed out yet, and how far a group is with what was."""

from collections import deque
from collections.abc import Iterable

from barnabas.client.driver07.group_fetcher import Chunk
from barnabas.client.driver07.membership import Place
from barnabas.records.messages07.message07 import Message


class Backlog:
    """Hands out messages one by one, or all that are left. Who iterates may go over to polling."""

    def __init__(self) -> None:
        self._chunks: deque[Chunk] = deque()
        self._given = self._done = 0
        """Of the first chunk's messages: handed out one by one, and of those the ones consumed."""
        self._consumed: dict[Place, int] = {}

    def __bool__(self) -> bool:
        return bool(self._chunks) and (
            len(self._chunks) > 1 or self._given < len(self._chunks[0].messages)
        )

    def add(self, chunks: Iterable[Chunk]) -> None:
        """These come behind the others."""
        self._chunks.extend(chunks)

    def next(self) -> Message | None:
        """One more; what was handed out before it is consumed now."""
        self._done = self._given
        while self._chunks:
            messages = self._chunks[0].messages
            if self._given < len(messages):
                self._given += 1
                return messages[self._given - 1]
            self._end_first()
        return None

    def rest(self) -> list[Chunk]:
        """All that is left; it counts as consumed."""
        found = []
        while self._chunks:
            chunk = self._chunks[0]
            if self._given < len(chunk.messages):
                found.append(chunk._replace(messages=chunk.messages[self._given :]))
            self._end_first()
        return found

    def settle(self) -> None:
        """What was handed out is consumed, also the last of it."""
        self._done = self._given

    def consumed(self) -> dict[Place, int]:
        """Where the group goes on, by place."""
        found = self._consumed.copy()
        if self._done:
            topic, partition, messages, end = self._chunks[0]
            whole = self._done == len(messages)
            found[topic, partition] = end if whole else messages[self._done - 1].next_offset
        return found

    def keep_only(self, places: frozenset[Place]) -> None:
        """Forget all others: who owns them now goes on with them."""
        if self._chunks and self._chunks[0][:2] not in places:
            self._given = self._done = 0
        self._chunks = deque(chunk for chunk in self._chunks if chunk[:2] in places)
        self._consumed = {each: at for each, at in self._consumed.items() if each in places}

    def _end_first(self) -> None:
        topic, partition, _, end = self._chunks.popleft()
        self._consumed[topic, partition] = end
        self._given = self._done = 0
