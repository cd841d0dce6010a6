"""Conversation: the frames of one connection in the order they came, responses beside requests.

Tokens of SASL that follow SaslHandshake in version 0 have a size and no header (KIP-43): from there on
what does not begin like a request is one.
"""

from collections import deque
from dataclasses import dataclass, replace

from barnabas.lens.capture.frames import LARGEST, SIZE, Frames
from barnabas.lens.contents.sasl import explain_token
from barnabas.lens.languages.language import Language
from barnabas.lens.walks.part import Asked, Explained, Fault, Part
from barnabas.protocol.sasl_handshake import SaslHandshakeRequest

_MOST_PENDING = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One frame, where in its stream it begins and who said it."""

    explained: Explained
    position: int
    from_client: bool


class Conversation:
    """Feed it what either side says."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._pending: deque[Asked] = deque(maxlen=_MOST_PENDING)
        self._mechanism = ""
        """Whose tokens may come."""
        self._client = Frames()
        self._broker = Frames()

    def from_client(self, data: bytes) -> list[Told]:
        """The requests that are whole now."""
        return [
            Told(explained=self._request(frame), position=position, from_client=True)
            for position, frame in self._client.feed(data)
        ]

    def from_broker(self, data: bytes) -> list[Told]:
        """The responses that are whole now."""
        return [
            Told(explained=self._response(frame), position=position, from_client=False)
            for position, frame in self._broker.feed(data)
        ]

    def lose(self, count: int, *, from_client: bool) -> list[Told]:
        """Bytes are missing: what was begun is given as it is, and what comes is taken as new."""
        frames = self._client if from_client else self._broker
        told = self._rest(frames, from_client=from_client)
        position = frames.position + len(frames.held) + count
        if from_client:
            self._client = Frames(position)
        else:
            self._broker = Frames(position)
        return told

    def end(self) -> list[Told]:
        """What is left of both sides: frames that were cut off, and what nobody can cut."""
        rest = self._rest(self._client, from_client=True)
        return rest + self._rest(self._broker, from_client=False)

    def _rest(self, frames: Frames, *, from_client: bool) -> list[Told]:
        if not frames.held:
            return []
        explain = self._request if from_client else self._response
        explained = explain(frames.held)
        return [Told(explained=explained, position=frames.position, from_client=from_client)]

    def _request(self, frame: bytes) -> Explained:
        if self._mechanism:
            if not self._language.opens(frame[SIZE:]):
                return explain_token(frame, self._mechanism, "request")
            self._mechanism = ""
        # A frame that is cut has a size before what begins like a request.
        bare = _has_no_size(frame) and self._language.opens(frame)
        bare = bare and not self._language.opens(frame[SIZE:])
        found = self._language.request(frame, bare=bare)
        if bare:
            fault = Fault(0, "size", "a size expected", "it is missing")
            found = replace(found, faults=(fault, *found.faults))
        if found.asked is not None:
            self._pending.append(found.asked)
        if found.version == 0 and isinstance(found.message, SaslHandshakeRequest):
            self._mechanism = found.message.mechanism
        return found

    def _response(self, frame: bytes) -> Explained:
        if self._mechanism and not self._pending:
            return explain_token(frame, self._mechanism, "response")
        asked = self._asked(self._language.correlation_id(frame))
        if asked is None:
            return _unasked(frame)
        return self._language.response(frame, asked)

    def _asked(self, correlation_id: int | None) -> Asked | None:
        """The request that is answered, which is then no longer waited for."""
        for index, asked in enumerate(self._pending):
            if correlation_id is None or asked.correlation_id == correlation_id:
                del self._pending[index]
                return asked
        return None


def _has_no_size(frame: bytes) -> bool:
    """Whether the first four bytes cannot be the size of what follows."""
    size = int.from_bytes(frame[:SIZE], "big", signed=True)
    return not 0 <= size <= LARGEST or size > len(frame)


def _unasked(frame: bytes) -> Explained:
    """A response that nobody is known to have asked for."""
    text = "it answers no request that was seen"
    position = min(SIZE, len(frame))
    return Explained(
        kind="response",
        name="unknown",
        meaning="The request is needed to read a response: --api and --version say what it was.",
        data=frame,
        parts=(Part(0, len(frame), "", "bytes", frame, "not understood"),),
        faults=(Fault(position, "header.correlation_id", text, fatal=True),),
    )
