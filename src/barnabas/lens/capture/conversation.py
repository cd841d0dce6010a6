"""Conversation: the frames of one connection in order of arrival, responses paired with requests.

After SaslHandshake version 0, SASL tokens have a size and no header (KIP-43): from there on,
whatever does not start like a request is a token.
"""

from collections import deque
from dataclasses import dataclass, replace

from barnabas.lens.capture.frames import LARGEST, SIZE, Frames
from barnabas.lens.contents.sasl import explain_token
from barnabas.lens.languages.language import Language
from barnabas.lens.walks.part import Explained, Fault, Part, RequestSummary
from barnabas.protocol.sasl_handshake import SaslHandshakeRequest

_MOST_PENDING = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SentFrame:
    """One frame, its position in its stream, and its sender."""

    explained: Explained
    position: int
    from_client: bool


class Conversation:
    """Feed it the bytes of either side."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._pending: deque[RequestSummary] = deque(maxlen=_MOST_PENDING)
        self._mechanism = ""
        """The SASL mechanism whose tokens may follow."""
        self._client = Frames()
        self._broker = Frames()

    def from_client(self, data: bytes) -> list[SentFrame]:
        """Return the requests that are complete."""
        return [
            SentFrame(explained=self._request(frame), position=position, from_client=True)
            for position, frame in self._client.feed(data)
        ]

    def from_broker(self, data: bytes) -> list[SentFrame]:
        """Return the responses that are complete."""
        return [
            SentFrame(explained=self._response(frame), position=position, from_client=False)
            for position, frame in self._broker.feed(data)
        ]

    def lose(self, count: int, *, from_client: bool) -> list[SentFrame]:
        """Handle missing bytes: return incomplete frames as they are, and restart with what follows."""
        frames = self._client if from_client else self._broker
        sent = self._rest(frames, from_client=from_client)
        position = frames.position + len(frames.held) + count
        if from_client:
            self._client = Frames(position)
        else:
            self._broker = Frames(position)
        return sent

    def end(self) -> list[SentFrame]:
        """Return the rest of both sides: truncated frames, and bytes that cannot be split."""
        rest = self._rest(self._client, from_client=True)
        return rest + self._rest(self._broker, from_client=False)

    def _rest(self, frames: Frames, *, from_client: bool) -> list[SentFrame]:
        if not frames.held:
            return []
        explain = self._request if from_client else self._response
        explained = explain(frames.held)
        return [SentFrame(explained=explained, position=frames.position, from_client=from_client)]

    def _request(self, frame: bytes) -> Explained:
        if self._mechanism:
            if not self._language.opens(frame[SIZE:]):
                return explain_token(frame, self._mechanism, "request")
            self._mechanism = ""
        # A stream of frames has a size before each request header.
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

    def _asked(self, correlation_id: int | None) -> RequestSummary | None:
        """Return the request of a response, which is then no longer pending."""
        for index, asked in enumerate(self._pending):
            if correlation_id is None or asked.correlation_id == correlation_id:
                del self._pending[index]
                return asked
        return None


def _has_no_size(frame: bytes) -> bool:
    """Whether the first four bytes cannot be a frame size."""
    size = int.from_bytes(frame[:SIZE], "big", signed=True)
    return not 0 <= size <= LARGEST or size > len(frame)


def _unasked(frame: bytes) -> Explained:
    """A response without a known request."""
    text = "it answers no request that was seen"
    position = min(SIZE, len(frame))
    return Explained(
        kind="response",
        name="unknown",
        meaning="The request is needed to read a response: name it with --api and --version.",
        data=frame,
        parts=(Part(0, len(frame), "", "bytes", frame, "not understood"),),
        faults=(Fault(position, "header.correlation_id", text, fatal=True),),
    )
