"""One frame an event, several, or pieces of them: the same replies, whichever way each of them goes."""

from collections import deque
from collections.abc import Callable
from struct import pack
from types import SimpleNamespace
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from barnabas.broker.broker import Broker
from barnabas.broker.connection import ClientConnection
from barnabas.broker.purgatory import Pending, Unwritten
from barnabas.broker.spoken import Spoken
from barnabas.broker.turn import Turn
from barnabas.dialects.dialect import OnlyByClosing, Request, Unanswered
from barnabas.runtime.connection import Connection
from barnabas.runtime.departures import Departures
from barnabas.runtime.frame_handler import Lone
from barnabas.runtime.memory import ConnectionMemory
from barnabas.wire.send import Send
from tests.unit.runtime.manual_timers import ManualTimers
from tests.unit.runtime.scripted_channel import ScriptedChannel

PLAIN, PARKED, THERE, UNWRITTEN, NO_REPLY, IN_PARTS, UNANSWERED, FAILING, FAILING_LATE = range(9)


class Dialect:
    """A frame is its key and its number, and the reply is the frame."""

    at_once = 1

    def read_request(self, frame: memoryview) -> Request:
        if frame[0] == UNANSWERED:
            raise Unanswered("as told")
        return Request(frame[0], 0, frame[1], None, bytes(frame))

    def write_response(self, request: Request, outcome: object) -> Send | bytes | None:
        assert isinstance(outcome, bytes)
        if request.api_key == NO_REPLY:
            return None
        reply = pack(">i", len(outcome)) + outcome
        return Send(reply) if request.api_key == IN_PARTS else reply


class Replicas:
    """Tells who waits for a write; `writes` are in the order of everything else."""

    def __init__(self, done: list[object]) -> None:
        self.done = done
        self.waiting: list[tuple[Pending, bytes]] = []

    def write(self) -> None:
        waiting, self.waiting = self.waiting, []
        for pending, body in waiting:
            self.done.append(body)
            pending.complete(body)

    def take_unseen(self) -> list[object]:
        return []


class Client:
    """A client whose requests are handled as they say."""

    def __init__(self, *, takes_lone: bool) -> None:
        self.done: list[object] = []
        self.timers = ManualTimers()
        self.replicas = Replicas(self.done)
        self.channel = ScriptedChannel(self.timers.run_soon)
        self.parked: deque[Callable[[], None]] = deque()
        turn = Turn(self.replicas, self.timers)  # type: ignore[arg-type]
        broker = SimpleNamespace(
            quotas=SimpleNamespace(in_force=False), replicas=self.replicas, turn=turn
        )
        connection = Connection(
            self.channel,
            ConnectionMemory(1 << 20),
            Departures(self.timers),
            max_frame_bytes=1 << 20,
        )
        client = ClientConnection(
            cast("Broker", broker),
            cast("Spoken", (Dialect(), dict.fromkeys(range(9), self.handle))),
            connection,
            listener="PLAINTEXT",
            number=1,
            on_gone=lambda _: self.done.append("gone"),
        )
        connection.serve(client, cast("Lone", client.lone) if takes_lone else None)

    def handle(self, _broker: object, _context: object, body: object) -> object:
        assert isinstance(body, bytes)
        self.done.append(body)
        pending = Pending()
        match body[0]:
            case kind if kind == PARKED:
                self.parked.append(lambda: pending.complete(body))
                return pending
            case kind if kind == THERE:
                pending.complete(body)
                return pending
            case kind if kind == FAILING_LATE:
                self.parked.append(lambda: pending.fail(OnlyByClosing("as told")))
                return pending
            case kind if kind == UNWRITTEN:
                unwritten = Unwritten()
                self.replicas.waiting.append((unwritten, body))
                return unwritten
            case kind if kind == FAILING:
                raise OnlyByClosing("as told")
        return body

    def end(self) -> tuple[bytes, list[object]]:
        """Let all be answered; gives what it got, and what was done for it."""
        while self.parked:
            self.parked.popleft()()
            self.timers.run_soon()
            self.channel.let_arrive()
        assert self.channel.closed or not self.channel.arriving
        return bytes(self.channel.sent), self.done


KINDS = st.sampled_from(
    [PLAIN] * 6
    + [PARKED, PARKED, THERE, UNWRITTEN, UNWRITTEN, NO_REPLY, IN_PARTS, UNANSWERED]
    + [FAILING, FAILING_LATE]
)


@given(
    kinds=st.lists(KINDS, max_size=12),
    paddings=st.lists(st.integers(0, 40), min_size=1),
    cuts=st.lists(st.integers(1, 60), max_size=40),
)
def test_the_ways_of_a_frame_come_to_the_same(
    kinds: list[int], paddings: list[int], cuts: list[int]
) -> None:
    frames = [
        bytes([kind, number]) + b"." * paddings[number % len(paddings)]
        for number, kind in enumerate(kinds)
    ]
    stream = b"".join(pack(">i", len(frame)) + frame for frame in frames)
    found = []
    for takes_lone, alone in ((False, False), (True, False), (True, True)):
        client = Client(takes_lone=takes_lone)
        if alone:
            for frame in frames:
                client.channel.arrive(pack(">i", len(frame)) + frame)
        else:
            at = 0
            for cut in [*cuts, len(stream)]:
                if stream[at : at + cut]:
                    client.channel.arrive(stream[at : at + cut])
                at += cut
        found.append(client.end())
    assert found[0] == found[1]
    assert found[0][0] == found[2][0]
    if UNWRITTEN not in kinds:
        # Those of one event are written at once, behind all of them.
        assert found[0] == found[2]


def test_frames_cut_at_every_byte() -> None:
    frames = [bytes([kind, number]) for number, kind in enumerate([PLAIN, PARKED, UNWRITTEN] * 2)]
    stream = b"".join(pack(">i", len(frame)) + frame for frame in frames)
    for first in range(1, len(stream)):
        for second in range(first + 1, len(stream)):
            client = Client(takes_lone=True)
            client.channel.arrive(stream[:first], stream[first:second], stream[second:])
            assert client.end()[0] == stream
