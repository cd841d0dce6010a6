"""RoutedStates: share group state in a cluster, at the leader of its __share_group_state partition.

Leaders of partitions read and write states here, and coordinators of groups begin and end them. What this
broker leads is done at once. Others are asked, with all that is alike for a group in one request. What may
pass is retried for a while, at the leader of that time.

Source: Kafka's PersisterStateManager.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.cluster.peer_queues import Exchange, PeerQueues
from barnabas.broker.shares.state_messages import SHAPES, answers_of, request_of
from barnabas.broker.shares.states import ShareStateShards
from barnabas.coordinators.internal_topics import SHARES_TOPIC
from barnabas.coordinators.share_state import leaders
from barnabas.coordinators.share_state.leaders import StateUpdate
from barnabas.coordinators.share_state.states import UNKNOWN, ShareState, StateKey
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock, Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.types import NodeId

Respond = Callable[[ErrorCode, ShareState], None]

_READ, _WRITE = ApiKey.READ_SHARE_GROUP_STATE, ApiKey.WRITE_SHARE_GROUP_STATE
_BEGIN, _END = ApiKey.INITIALIZE_SHARE_GROUP_STATE, ApiKey.DELETE_SHARE_GROUP_STATE
_LOOK = ApiKey.READ_SHARE_GROUP_STATE_SUMMARY
_MOST_AT_ONCE = 100
"""Partitions of a request."""
_AGAIN_SECONDS = 0.1
_TRIES = 50
_PASSING = frozenset(
    {
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
)
"""What another broker, or the same one a moment later, may not answer. It may not know a topic yet."""


_FOR_MEMBERS: Mapping[ErrorCode, ErrorCode] = {
    ErrorCode.NONE: ErrorCode.NONE,
    ErrorCode.FENCED_LEADER_EPOCH: ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.FENCED_STATE_EPOCH: ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.NOT_COORDINATOR: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_NOT_AVAILABLE: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NETWORK_EXCEPTION: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
}
"""What a member is answered for the code of a state's keeper; anything else: UNKNOWN_SERVER_ERROR.

Source: Kafka's SharePartition.
"""


@dataclass(frozen=True, slots=True)
class _Question:
    """About one partition of a group; `detail` goes by the API."""

    api: ApiKey
    key: StateKey
    detail: Any
    respond: Respond
    tries_left: int = _TRIES


class RoutedStates:
    """For one thread. Each call responds now or later, and raises nothing."""

    def __init__(
        self, kept: ShareStateShards, member: ClusterMember, timers: Timers, clock: Clock
    ) -> None:
        self._kept = kept
        self._member = member
        self._timers = timers
        self._clock = clock
        self._queues = PeerQueues(member, timers, self._begin_request)
        self._writing: dict[StateKey, tuple[StateUpdate, list[Respond]] | None] = {}
        """The partitions whose state is being written, and what is to be written next."""

    def read(self, key: StateKey, leader_epoch: int, respond: Respond) -> None:
        """The state, for the leader in that epoch: those before may write no more.

        What was never begun may be begun just now: that is waited for, too. Responds as to a member.
        """
        self._take(_Question(_READ, key, leader_epoch, _for_members(respond)))

    def write(self, key: StateKey, update: StateUpdate, respond: Respond) -> None:
        """Keep the state as its leader has it. One at a time: what comes meanwhile is written as the last is.

        Responds as to a member.
        """
        respond = _for_members(respond)
        if key in self._writing:
            later = self._writing[key]
            self._writing[key] = update, [*(later[1] if later else ()), respond]
            return
        self._writing[key] = None
        self._write(key, update, [respond])

    def _write(self, key: StateKey, update: StateUpdate, waiting: Sequence[Respond]) -> None:
        def written(code: ErrorCode, found: ShareState) -> None:
            later = self._writing.pop(key)
            if later is not None:
                self._writing[key] = None
                self._write(key, *later)
            for respond in waiting:
                respond(code, found)

        self._take(_Question(_WRITE, key, update, written))

    def begin_missing(self, key: StateKey) -> None:
        """Begin what a group is to read for the first time, if nobody has begun it."""

        def looked(code: ErrorCode, found: ShareState) -> None:
            if not code and found.start == UNKNOWN and not found.state_epoch:
                self._take(_Question(_BEGIN, key, (0, UNKNOWN), lambda _code, _found: None))

        self._take(_Question(_LOOK, key, None, looked))

    def move(self, key: StateKey, start: int, respond: Respond) -> None:
        """Have a group without members begin elsewhere: what leaders have in hand counts no more."""

        def looked(code: ErrorCode, found: ShareState) -> None:
            if code:
                respond(code, found)
            else:
                self._take(_Question(_BEGIN, key, (found.state_epoch + 1, start), respond))

        self._take(_Question(_LOOK, key, None, looked))

    def look(self, key: StateKey, respond: Respond) -> None:
        """Where a group is; what was never begun has no start."""
        self._take(_Question(_LOOK, key, None, respond))

    def end(self, key: StateKey, respond: Respond) -> None:
        """Keep nothing any more."""
        self._take(_Question(_END, key, None, respond))

    def _take(self, question: _Question) -> None:
        leader = self._leader(question.key)
        if leader == self._member.node_id:
            self._take_here(question)
        elif leader is None or not self._queues.add(leader, question):
            self._answer(question, ErrorCode.COORDINATOR_NOT_AVAILABLE, ShareState())

    def _leader(self, key: StateKey) -> NodeId | None:
        if not self._member.topics.count(SHARES_TOPIC):
            with suppress(BrokerError):  # It is made meanwhile.
                self._kept.prepare()
            return None
        return self._member.topics.leader_of(SHARES_TOPIC, ShareStateShards.name_of(key))

    def _take_here(self, question: _Question) -> None:
        key, answer = question.key, partial(self._answer, question)
        now_ms = self._clock.time_ms()
        try:
            states = self._kept.states(key)
            found, record = states.get(key) or ShareState(), None
            match question.api:
                case ApiKey.READ_SHARE_GROUP_STATE:
                    found, record = leaders.read(states, key, question.detail, now_ms)
                case ApiKey.WRITE_SHARE_GROUP_STATE:
                    record = leaders.write(states, key, question.detail, now_ms)
                case ApiKey.INITIALIZE_SHARE_GROUP_STATE:
                    state_epoch, start = question.detail
                    record = leaders.begin(states, key, state_epoch, start, now_ms)
                case ApiKey.DELETE_SHARE_GROUP_STATE if states.get(key) is not None:
                    record = states.removal(key)
            if record is None:
                answer(ErrorCode.NONE, found)
            else:
                self._kept.keep(key, record, lambda code: answer(code, found))
                self._timers.soon(self._kept.write)
        except BrokerError as error:
            answer(error.code, ShareState())

    def _answer(self, question: _Question, code: ErrorCode, found: ShareState) -> None:
        is_early = question.api == _READ and code == ErrorCode.INVALID_REQUEST
        if (code in _PASSING or is_early) and question.tries_left:
            again = replace(question, tries_left=question.tries_left - 1)
            self._timers.after(_AGAIN_SECONDS, partial(self._take, again))
        else:
            question.respond(code, found)

    def _begin_request(self, waiting: list[_Question]) -> Exchange:
        """One request for all that is alike and of one group; of each partition one question."""
        api, group_id = waiting[0].api, waiting[0].key.group_id
        taken: dict[StateKey, _Question] = {}
        left: list[_Question] = []
        for one in waiting:
            is_alike = one.api == api and one.key.group_id == group_id
            if is_alike and one.key not in taken and len(taken) < _MOST_AT_ONCE:
                taken[one.key] = one
            else:
                left.append(one)
        waiting[:] = left
        request = request_of(api, group_id, {key: one.detail for key, one in taken.items()})
        return Exchange(api, SHAPES[api].version, request, partial(self._answered, api, taken))

    def _answered(
        self, api: ApiKey, questions: Mapping[StateKey, _Question], response: object
    ) -> None:
        answers = answers_of(api, response)
        for key, one in questions.items():
            missing = ErrorCode.NETWORK_EXCEPTION, ShareState()
            self._answer(one, *answers.get(key.topic_partition, missing))


def _for_members(respond: Respond) -> Respond:
    def answer(code: ErrorCode, found: ShareState) -> None:
        respond(_FOR_MEMBERS.get(code, ErrorCode.UNKNOWN_SERVER_ERROR), found)

    return answer
