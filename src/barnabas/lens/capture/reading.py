"""From captured bytes to explained frames: one frame, a stream, or a capture of many streams."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from barnabas.lens.capture.conversation import Conversation, SentFrame
from barnabas.lens.capture.frames import SIZE, Frames
from barnabas.lens.capture.pcap import packets
from barnabas.lens.capture.segments import segment_of
from barnabas.lens.capture.streams import Streams
from barnabas.lens.languages.language import Language
from barnabas.lens.walks.part import Explained, Fault, RequestSummary


@dataclass(frozen=True, slots=True)
class Arrival:
    """A frame of a capture: the time of its last byte, and its connection."""

    sent: SentFrame
    time_ns: int
    connection: int
    client: str


def read_requests(language: Language, data: bytes) -> list[SentFrame]:
    """The requests of one direction; if the first has no size, all bytes are one request."""
    sized = int.from_bytes(data[:SIZE], "big") == len(data) - SIZE
    if not sized and not language.opens(data[SIZE:]) and language.opens(data):
        fault = Fault(0, "size", "the size of the frame expected", "it is missing")
        found = language.request(data, bare=True)
        return [_sent(replace(found, faults=(fault, *found.faults)), 0)]
    conversation = Conversation(language)
    return conversation.from_client(data) + conversation.end()


def read_responses(language: Language, data: bytes, asked: RequestSummary) -> list[SentFrame]:
    """The responses of one direction, all to the same kind of request."""
    frames = Frames()
    found = [
        _sent(language.response(frame, asked), at, from_client=False)
        for at, frame in frames.feed(data)
    ]
    if held := frames.held:
        found.append(_sent(language.response(held, asked), frames.position, from_client=False))
    return found


def read_capture(language: Language, data: bytes) -> Iterator[Arrival]:
    """Yield the frames of all connections in a pcap or pcapng file, in order of arrival.

    Raises:
        DecodeError: not such a file.
    """
    segments = (segment for packet in packets(data) if (segment := segment_of(packet)) is not None)
    streams = Streams(lambda data: language.opens(data[SIZE:]))
    conversations: dict[int, Conversation] = {}
    last: dict[int, tuple[int, int, str]] = {}
    for chunk in streams.chunks(segments):
        conversation = conversations.setdefault(chunk.connection, Conversation(language))
        place = last[chunk.connection] = (chunk.time_ns, chunk.connection, chunk.client)
        if chunk.lost:
            sent = conversation.lose(chunk.lost, from_client=chunk.from_client)
            yield from (Arrival(each, *place) for each in sent)
        hear = conversation.from_client if chunk.from_client else conversation.from_broker
        yield from (Arrival(each, *place) for each in hear(chunk.data))
    for connection, conversation in conversations.items():
        yield from (Arrival(each, *last[connection]) for each in conversation.end())


def _sent(explained: Explained, position: int, *, from_client: bool = True) -> SentFrame:
    return SentFrame(explained=explained, position=position, from_client=from_client)
