"""Fetch sessions (KIP-227): what each session's partitions are, and what of them to answer."""

from collections import OrderedDict

from barnabas.dialects.commands import Fetch, Fetched, FetchOutcome, Forgotten, Read
from barnabas.errors import ErrorCode
from barnabas.ports import Clock, Entropy

_NO_SESSION = 0
_FINAL_EPOCH = -1
_INITIAL_EPOCH = 0
_LAST_EPOCH = 2**31 - 1
_EVICTABLE_AFTER_MS = 120_000
"""Kafka's min.incremental.fetch.session.eviction.ms, which has been this since it was new."""

_Key = tuple[str, bytes, int]


class _Cached:
    """A partition of a session, with what the client was last told of it."""

    __slots__ = ("high_watermark", "log_start_offset", "read")

    def __init__(self, read: Read) -> None:
        self.read = read
        self.high_watermark = -1
        self.log_start_offset = -1

    def take_news(self, fetched: Fetched) -> bool:
        """Note what the client is told; whether there is anything to tell."""
        news = (
            fetched.records is not None
            or bool(fetched.error)
            or fetched.diverging_epoch >= 0
            or fetched.high_watermark != self.high_watermark
            or fetched.log_start_offset != self.log_start_offset
        )
        # After an error the client must be told again even if nothing else has changed.
        self.high_watermark = -1 if fetched.error else fetched.high_watermark
        self.log_start_offset = fetched.log_start_offset
        return news


class FetchSession:
    """One session. `epoch` is the one that its next request must carry."""

    __slots__ = ("by_topic_id", "created_ms", "epoch", "number", "partitions", "used_ms")

    def __init__(self, number: int, fetch: Fetch, now_ms: int) -> None:
        self.number = number
        self.by_topic_id = fetch.by_topic_id
        self.epoch = 1
        self.created_ms = self.used_ms = now_ms
        self.partitions: OrderedDict[_Key, _Cached] = OrderedDict()
        self.update(fetch.reads, [])

    def update(self, reads: list[Read], forgotten: list[Forgotten]) -> None:
        """Add or change partitions, then drop those forgotten."""
        for read in reads:
            cached = self.partitions.get(read[:3])
            if cached is None:
                self.partitions[read[:3]] = _Cached(read)
            else:
                cached.read = read
        for one in forgotten:
            self.partitions.pop(one[:3], None)

    def take_news(self, fetched: list[Fetched], *, everything: bool) -> list[Fetched]:
        """What to answer; partitions with records go to the end, so that others get their turn."""
        answer: list[Fetched] = []
        for one in fetched:
            cached = self.partitions.get(one[:3])
            if cached is None:
                continue
            if cached.take_news(one) or everything:
                answer.append(one)
            if one.records is not None:
                self.partitions.move_to_end(one[:3])
        return answer


class FetchPlan:
    """One fetch: what to read for it, and how to answer with what was read."""

    __slots__ = ("_everything", "_session", "reads")

    def __init__(
        self, reads: list[Read], session: FetchSession | None, *, everything: bool
    ) -> None:
        self.reads = reads
        self._session = session
        self._everything = everything

    def answer(self, fetched: list[Fetched]) -> FetchOutcome:
        """The outcome: in a session only partitions with something new."""
        if self._session is None:
            return FetchOutcome(ErrorCode.NONE, _NO_SESSION, fetched)
        news = self._session.take_news(fetched, everything=self._everything)
        return FetchOutcome(ErrorCode.NONE, self._session.number, news)


class FetchSessions:
    """The sessions a broker remembers, at most `slots` of them."""

    __slots__ = ("_clock", "_entropy", "_sessions", "_slots")

    def __init__(self, slots: int, clock: Clock, entropy: Entropy) -> None:
        self._slots = slots
        self._clock = clock
        self._entropy = entropy
        self._sessions: OrderedDict[int, FetchSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def begin(self, fetch: Fetch) -> FetchPlan | ErrorCode:
        """Find, make or end the session that a fetch names."""
        epoch = fetch.session_epoch
        if epoch in {_FINAL_EPOCH, _INITIAL_EPOCH}:
            if fetch.session_id:
                self._sessions.pop(fetch.session_id, None)
            session = None
            if epoch == _INITIAL_EPOCH and fetch.reads:
                session = self._create(fetch)
            return FetchPlan(fetch.reads, session, everything=True)
        session = self._sessions.get(fetch.session_id)
        if session is None:
            return ErrorCode.FETCH_SESSION_ID_NOT_FOUND
        if session.epoch != fetch.session_epoch:
            return ErrorCode.INVALID_FETCH_SESSION_EPOCH
        if session.by_topic_id != fetch.by_topic_id:
            return ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
        session.update(fetch.reads, fetch.forgotten)
        if not session.partitions:
            del self._sessions[session.number]
            return FetchPlan([], None, everything=True)
        session.epoch = 1 if session.epoch == _LAST_EPOCH else session.epoch + 1
        session.used_ms = self._now_ms()
        self._sessions.move_to_end(session.number)
        reads = [cached.read for cached in session.partitions.values()]
        return FetchPlan(reads, session, everything=False)

    def _create(self, fetch: Fetch) -> FetchSession | None:
        now_ms = self._now_ms()
        if len(self._sessions) >= self._slots and not self._evict(len(fetch.reads), now_ms):
            return None
        number = 1 + self._entropy.below(_LAST_EPOCH)
        while number in self._sessions:
            number = 1 + self._entropy.below(_LAST_EPOCH)
        session = self._sessions[number] = FetchSession(number, fetch, now_ms)
        return session

    def _now_ms(self) -> int:
        # Of a clock that is never set back: a session must not stay young for long.
        return int(self._clock.monotonic() * 1000)

    def _evict(self, size: int, now_ms: int) -> bool:
        """Make room for a session of `size` partitions: the longest unused, or a smaller old one."""
        if not self._sessions:
            return False
        oldest = next(iter(self._sessions.values()))
        if now_ms - oldest.used_ms <= _EVICTABLE_AFTER_MS:
            oldest = min(self._sessions.values(), key=lambda one: len(one.partitions))
            too_young = now_ms - oldest.created_ms <= _EVICTABLE_AFTER_MS
            if too_young or len(oldest.partitions) >= size:
                return False
        del self._sessions[oldest.number]
        return True
