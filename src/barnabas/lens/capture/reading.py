"""From captured bytes to explained frames: one frame, a stream of them, or a capture of many."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from barnabas.lens.capture.conversation import Conversation, Told
from barnabas.lens.capture.frames import SIZE, Frames
from barnabas.lens.capture.pcap import packets
from barnabas.lens.capture.segments import segment_of
from barnabas.lens.capture.streams import Streams
from barnabas.lens.languages.language import Language
from barnabas.lens.walks.part import Asked, Explained, Fault


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame of a capture: when its last byte was seen, and in which connection."""

    told: Told
    time_ns: int
    connection: int
    client: str


def read_requests(language: Language, data: bytes) -> list[Told]:
    """The requests of one direction; where the first has no size, it is one request."""
    sized = int.from_bytes(data[:SIZE], "big") == len(data) - SIZE
    if not sized and not language.opens(data[SIZE:]) and language.opens(data):
        fault = Fault(0, "size", "the size of the frame expected", "it is missing")
        found = language.request(data, bare=True)
        return [_told(replace(found, faults=(fault, *found.faults)), 0)]
    conversation = Conversation(language)
    return conversation.from_client(data) + conversation.end()


def read_responses(language: Language, data: bytes, asked: Asked) -> list[Told]:
    """The responses of one direction, each to the same kind of request."""
    frames = Frames()
    found = [
        _told(language.response(frame, asked), at, from_client=False)
        for at, frame in frames.feed(data)
    ]
    if held := frames.held:
        found.append(_told(language.response(held, asked), frames.position, from_client=False))
    return found


def read_capture(language: Language, data: bytes) -> Iterator[Heard]:
    """The frames of all connections in a pcap or pcapng file, as they arrived.

    Raises:
        DecodeError: it is no such file.
    """
    segments = (segment for packet in packets(data) if (segment := segment_of(packet)) is not None)
    streams = Streams(lambda data: language.opens(data[SIZE:]))
    conversations: dict[int, Conversation] = {}
    last: dict[int, tuple[int, int, str]] = {}
    for chunk in streams.chunks(segments):
        conversation = conversations.setdefault(chunk.connection, Conversation(language))
        place = last[chunk.connection] = (chunk.time_ns, chunk.connection, chunk.client)
        if chunk.lost:
            told = conversation.lose(chunk.lost, from_client=chunk.from_client)
            yield from (Heard(each, *place) for each in told)
        hear = conversation.from_client if chunk.from_client else conversation.from_broker
        yield from (Heard(each, *place) for each in hear(chunk.data))
    for connection, conversation in conversations.items():
        yield from (Heard(each, *last[connection]) for each in conversation.end())


def _told(explained: Explained, position: int, *, from_client: bool = True) -> Told:
    return Told(explained=explained, position=position, from_client=from_client)
