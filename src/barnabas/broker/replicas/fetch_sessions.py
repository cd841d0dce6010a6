"""Fetch sessions (KIP-227): each session's partitions, and which of them a response contains.

A session ends with the connection on which it was opened: the clients that there are begin a new one then.
"""

from collections import OrderedDict
from collections.abc import Sized

from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.broker.replicas.fetch_rows import Fetched, Read, reads_of, response_of
from barnabas.errors import ErrorCode
from barnabas.ports import Clock, Entropy
from barnabas.protocol.fetch import FetchRequest, FetchResponse, ForgottenTopic

_NO_SESSION = 0
_FINAL_EPOCH = -1
_INITIAL_EPOCH = 0
_BEGIN_OR_END = frozenset({_FINAL_EPOCH, _INITIAL_EPOCH})
_LAST_EPOCH = 2**31 - 1
_EVICTABLE_AFTER_MS = 120_000
"""Kafka's min.incremental.fetch.session.eviction.ms, which has been this since it was new."""

_MOST_FAILED = 1000
"""Partitions with an error beyond which there is no session.

All of them are in each answer, which in a session a request of 30 bytes asks for.
"""

_SESSION_BYTES = 600
_PARTITION_BYTES = 480
"""What one takes here, beside its topic's name."""

_Key = tuple[str, bytes, int]


class _Cached:
    """A partition of a session, with what the last response to the client had of it."""

    __slots__ = ("high_watermark", "log_start_offset", "read")

    def __init__(self, read: Read) -> None:
        self.read = read
        self.high_watermark = -1
        self.log_start_offset = -1

    def take_news(self, fetched: Fetched) -> bool:
        """Note what the response has; returns whether it has anything new."""
        data = fetched.data
        news = (
            bool(data.records)
            or bool(data.error_code)
            or data.diverging_epoch is not None
            or data.preferred_read_replica >= 0
            or data.high_watermark != self.high_watermark
            or data.log_start_offset != self.log_start_offset
        )
        # After an error the response has the partition even if nothing else has changed. So it has after
        # a log that parts: the follower cuts its own, and takes no watermark.
        is_taken = not data.error_code and data.diverging_epoch is None
        self.high_watermark = data.high_watermark if is_taken else -1
        self.log_start_offset = data.log_start_offset
        return news


def _key(read: Read) -> _Key:
    return read.topic, read.topic_id, read.asked.partition


def _bytes_of(read: Read) -> int:
    return _PARTITION_BYTES + len(read.topic)


class FetchSession:
    """One session. `epoch` is the one that its next request must carry, `held_bytes` what it takes."""

    __slots__ = (
        "by_topic_id", "connection", "created_ms", "epoch", "held_bytes", "number", "partitions",
        "used_ms",
    )  # fmt: skip

    def __init__(
        self, number: int, reads: list[Read], connection: int, now_ms: int, *, by_topic_id: bool
    ) -> None:
        self.number = number
        self.connection = connection
        self.by_topic_id = by_topic_id
        self.epoch = 1
        self.created_ms = self.used_ms = now_ms
        self.partitions: dict[_Key, _Cached] = {}
        self.held_bytes = _SESSION_BYTES
        self.update(reads, [])

    def update(self, reads: list[Read], forgotten: list[ForgottenTopic]) -> None:
        """Add or change partitions, then drop those forgotten."""
        partitions = self.partitions
        for read in reads:
            key = _key(read)
            cached = partitions.get(key)
            if cached is None:
                partitions[key] = _Cached(read)
                self.held_bytes += _bytes_of(read)
            else:
                cached.read = read
        for topic in forgotten:
            for index in topic.partitions:
                gone = partitions.pop((topic.topic, topic.topic_id, index), None)
                if gone is not None:
                    self.held_bytes -= _bytes_of(gone.read)

    def take_news(self, fetched: list[Fetched], *, everything: bool) -> list[Fetched]:
        """What to answer; partitions with records go to the end, so that others get their turn."""
        answer: list[Fetched] = []
        partitions = self.partitions
        for one in fetched:
            key = one.topic, one.topic_id, one.data.partition_index
            cached = partitions.get(key)
            if cached is None:
                continue
            if cached.take_news(one) or everything:
                answer.append(one)
            if one.data.records:
                partitions[key] = partitions.pop(key)
        return answer


class FetchPlan:
    """One fetch: what to read for it, and how to answer with what was read."""

    __slots__ = ("_everything", "_session", "_sessions", "reads")

    def __init__(
        self,
        reads: list[Read],
        sessions: "FetchSessions",
        session: FetchSession | None = None,
        *,
        everything: bool = True,
    ) -> None:
        self.reads = reads
        self._sessions = sessions
        self._session = session
        self._everything = everything

    def answer(self, fetched: list[Fetched]) -> FetchResponse:
        """The response: in a session only partitions with something new.

        Without a session number the client knows that the session has ended.
        """
        session = self._session
        if session is None:
            return response_of(fetched)
        news = session.take_news(fetched, everything=self._everything)
        if (
            len(news) > _MOST_FAILED
            and sum(bool(one.data.error_code) for one in news) > _MOST_FAILED
        ):
            self._sessions.end(session)
            return response_of(news)
        return response_of(news, session.number)


class FetchSessions:
    """The sessions a broker remembers: at most `slots` of them, and while there is memory for them."""

    __slots__ = (
        "_by_connection", "_clock", "_entropy", "_memory", "_partitions", "_sessions", "_slots",
    )  # fmt: skip

    def __init__(
        self, slots: int, partitions: Sized, memory: ClientMemory, clock: Clock, entropy: Entropy
    ) -> None:
        """`partitions` are those that this broker has."""
        self._slots = slots
        self._partitions = partitions
        self._memory = memory
        self._clock = clock
        self._entropy = entropy
        self._sessions: OrderedDict[int, FetchSession] = OrderedDict()
        self._by_connection: dict[int, dict[int, FetchSession]] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def begin(
        self, fetch: FetchRequest, connection: int, *, by_topic_id: bool
    ) -> FetchPlan | ErrorCode:
        """Find, make or end the session that a fetch names; its topics are given by name or by id."""
        epoch, reads = fetch.session_epoch, reads_of(fetch)
        if epoch in _BEGIN_OR_END:
            if fetch.session_id:
                self._end_number(fetch.session_id)
            session = None
            if epoch == _INITIAL_EPOCH and reads:
                session = self._create(reads, connection, by_topic_id=by_topic_id)
            return FetchPlan(reads, self, session)
        session = self._sessions.get(fetch.session_id)
        if session is None:
            return ErrorCode.FETCH_SESSION_ID_NOT_FOUND
        if session.epoch != epoch:
            return ErrorCode.INVALID_FETCH_SESSION_EPOCH
        if session.by_topic_id != by_topic_id:
            return ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
        return self._go_on(session, reads, fetch.forgotten_topics_data)

    def _go_on(
        self, session: FetchSession, changed: list[Read], forgotten: list[ForgottenTopic]
    ) -> FetchPlan | ErrorCode:
        if changed or forgotten:
            if not self._update(session, changed, forgotten):
                self.end(session)
                return ErrorCode.FETCH_SESSION_ID_NOT_FOUND
            if not session.partitions:
                self.end(session)
                return FetchPlan([], self)
        session.epoch = 1 if session.epoch == _LAST_EPOCH else session.epoch + 1
        session.used_ms = self._now_ms()
        self._sessions.move_to_end(session.number)
        reads = [cached.read for cached in session.partitions.values()]
        return FetchPlan(reads, self, session, everything=False)

    def end(self, session: FetchSession) -> None:
        """Forget a session; fine if it has ended."""
        if self._sessions.pop(session.number, None) is None:
            return
        self._memory.passing_bytes -= session.held_bytes
        of_connection = self._by_connection[session.connection]
        del of_connection[session.number]
        if not of_connection:
            del self._by_connection[session.connection]

    def disconnected(self, connection: int) -> None:
        """A client has disconnected: close the sessions that it opened."""
        for session in list(self._by_connection.get(connection, {}).values()):
            self.end(session)

    def _update(
        self, session: FetchSession, changed: list[Read], forgotten: list[ForgottenTopic]
    ) -> bool:
        """Change a session; False: it takes more than there is room for."""
        if self._fails(changed):
            return False
        held_before = session.held_bytes
        session.update(changed, forgotten)
        grown = session.held_bytes - held_before
        self._memory.passing_bytes += grown
        return grown <= 0 or self._memory.fits(0)

    def _fails(self, reads: list[Read]) -> bool:
        """Whether a request names more partitions than can exist."""
        return len(reads) > len(self._partitions) + _MOST_FAILED

    def _end_number(self, number: int) -> None:
        session = self._sessions.get(number)
        if session is not None:
            self.end(session)

    def _create(
        self, reads: list[Read], connection: int, *, by_topic_id: bool
    ) -> FetchSession | None:
        if self._fails(reads):
            return None
        now_ms = self._now_ms()
        session = FetchSession(0, reads, connection, now_ms, by_topic_id=by_topic_id)
        if len(self._sessions) >= self._slots and not self._evict(session, now_ms):
            return None
        while not self._memory.fits(session.held_bytes):
            if not self._evict(session, now_ms):
                return None
        number = 1 + self._entropy.below(_LAST_EPOCH)
        while number in self._sessions:
            number = 1 + self._entropy.below(_LAST_EPOCH)
        session.number = number
        self._sessions[number] = session
        self._by_connection.setdefault(connection, {})[number] = session
        self._memory.passing_bytes += session.held_bytes
        return session

    def _now_ms(self) -> int:
        # Of a clock that is never set back: a session must not stay young for long.
        return int(self._clock.monotonic() * 1000)

    def _evict(self, new: FetchSession, now_ms: int) -> bool:
        """Make room for a new session: the longest unused goes, or a smaller old one."""
        if not self._sessions:
            return False
        oldest = next(iter(self._sessions.values()))
        if now_ms - oldest.used_ms <= _EVICTABLE_AFTER_MS:
            oldest = min(self._sessions.values(), key=lambda one: len(one.partitions))
            too_young = now_ms - oldest.created_ms <= _EVICTABLE_AFTER_MS
            if too_young or len(oldest.partitions) >= len(new.partitions):
                return False
        self.end(oldest)
        return True
