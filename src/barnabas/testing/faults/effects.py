"""Effects: the outcome of a request that a fault matches, instead of its handler's.

The response of a request may be there at once or later (`Pending`). Where an effect takes time, the later
requests of the connection wait for it, as the order of responses demands.
"""

import copy
from collections.abc import Callable
from typing import Any

from barnabas.broker.purgatory.pending import Pending
from barnabas.errors import ErrorCode, KafkaError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import FetchRequest, FetchResponse
from barnabas.protocol.long_replies import LongReply
from barnabas.protocol.metadata import MetadataResponse
from barnabas.testing.faults.fault import InjectedFault
from barnabas.testing.faults.hit import RequestHit
from barnabas.testing.faults.names import topics_in
from barnabas.testing.faults.refusals import refusal


class FaultHit(KafkaError):
    """A fault of a test ends a connection."""


Effect = Callable[[InjectedFault, RequestHit], object]
"""Counts the hit, and gives the outcome of the request."""

_BY_TOPIC = ("topics", "topic_data", "topic_names")
"""Fields of requests with an element for each topic, and those of responses that answer them."""
_ANSWERS = ("responses", "topics", "results")


class Holding:
    """Responses that a fault holds back, each with the function that sends it."""

    def __init__(self) -> None:
        self._is_over = False
        self._held: dict[Pending, Callable[[], None]] = {}

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._held)

    def hold(self, pending: Pending, let_go: Callable[[], None]) -> None:
        """Keep one back, unless the fault has ended while the request was handled."""
        if self._is_over:
            let_go()
            return
        self._held[pending] = let_go
        pending.on_given_up(lambda: self._forget(pending))

    def release(self, pending: Pending) -> None:
        """Let one go, if it is held."""
        let_go = self._held.pop(pending, None)
        if let_go is not None:
            let_go()

    def release_all(self) -> None:
        """Let all of them go."""
        for pending in list(self._held):
            self.release(pending)

    def end(self) -> None:
        """Let all of them go, and hold back none any more."""
        self._is_over = True
        self.release_all()

    def _forget(self, pending: Pending) -> None:
        self._held.pop(pending, None)


def fail(code: ErrorCode, message: str | None = None) -> Effect:
    """Do nothing of the request, or of the topic that the fault is about, and answer with an error."""

    def effect(fault: InjectedFault, hit: RequestHit) -> object:
        api, asked = hit.asked.api, hit.asked.message
        if isinstance(asked, FetchRequest) and asked.session_epoch > 0:
            # The request of a session does not name its partitions. Without it, the next one does.
            return FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND, responses=[])
        fault.hit()
        if api is ApiKey.METADATA:
            return _after(hit.handle(asked), lambda found: _failed_topics(found, fault, code))
        part, rest = _split(hit, fault.meant.topic)
        refused: Any = refusal(api, hit.asked.version, part, code, message)
        if rest is None:
            return refused
        return _after(hit.handle(rest), lambda done: _joined(done, refused))

    return effect


def _split(hit: RequestHit, topic: str | None) -> tuple[object, object | None]:
    """The request for one topic, and for the others; None: there are no others."""
    asked: Any = hit.asked.message
    field = next((name for name in _BY_TOPIC if getattr(asked, name, None)), None)
    if topic is None or field is None or hit.asked.topics == {topic}:
        return asked, None
    mine, others = copy.copy(asked), copy.copy(asked)
    elements = getattr(asked, field)
    named = [topic in _names_of(hit, type(asked), field, one) for one in elements]
    setattr(mine, field, [one for one, is_mine in zip(elements, named, strict=True) if is_mine])
    setattr(
        others, field, [one for one, is_mine in zip(elements, named, strict=True) if not is_mine]
    )
    if isinstance(others, FetchRequest):
        others.session_id, others.session_epoch, others.max_wait_ms = 0, -1, 0
    return mine, others


def _names_of(hit: RequestHit, declared: type, field: str, element: object) -> set[str]:
    """The topic that one element of a request is about."""
    alone: Any = object.__new__(declared)
    for name in alone.DECLARATION.fields:
        setattr(alone, name, [element] if name == field else None)
    return set(topics_in(alone, hit.asked.name_of_id))


def _joined(done: Any, refused: Any) -> object:
    """The response for some topics, with that for the others behind."""
    if type(done) is not type(refused):
        return done
    for name in _ANSWERS:
        if hasattr(done, name):
            getattr(done, name).extend(getattr(refused, name))
            break
    return done


def _failed_topics(response: object, fault: InjectedFault, code: ErrorCode) -> object:
    if not isinstance(response, MetadataResponse):
        return response
    meant, topics = fault.meant.topic, []
    for one in response.topics:
        if meant in {None, one.name}:
            # The broker may keep the description for the next request.
            failed = copy.copy(one)
            failed.error_code, failed.partitions = code, []
            topics.append(failed)
        else:
            topics.append(one)
    response.topics = topics
    if meant is None:
        response.error_code = code
    return response


def delay(seconds: float, holding: Holding) -> Effect:
    """Do the request, and answer so much later."""

    def effect(fault: InjectedFault, hit: RequestHit) -> object:
        fault.hit()
        later = Pending()

        def done(response: object) -> None:
            timer = hit.timers.after(seconds, lambda: holding.release(later))

            def let_go() -> None:
                timer.cancel()
                later.complete(response)

            holding.hold(later, let_go)

        _when_there(hit.handle(hit.asked.message), done)
        return later

    return effect


def drop(holding: Holding) -> Effect:
    """Handle the request and never respond: the connection is silent until either side closes it."""

    def effect(fault: InjectedFault, hit: RequestHit) -> object:
        fault.hit()
        never = Pending()
        holding.hold(never, lambda: never.fail(FaultHit("the response was dropped")))
        _when_there(hit.handle(hit.asked.message), lambda _: None)
        return never

    return effect


def cut(fault: InjectedFault, hit: RequestHit) -> object:
    """Do the request, send half of the response, and close the connection."""
    fault.hit()
    end = Pending()

    def done(response: object) -> None:
        if isinstance(response, Exception):
            end.fail(response)
            return
        whole = hit.write(response)
        hit.send(whole[: len(whole) // 2])
        end.fail(FaultHit("the response was cut in half"))

    # Responses to the requests before it leave at the end of the event.
    soon = hit.timers.soon
    _when_there(hit.handle(hit.asked.message), lambda response: soon(lambda: done(response)))
    return end


def disconnect(fault: InjectedFault, _hit: RequestHit) -> object:
    """Do nothing of the request, and close the connection."""
    fault.hit()
    raise FaultHit("the connection was closed before the request was done")


def disconnect_after(fault: InjectedFault, hit: RequestHit) -> object:
    """Do the request, and close the connection instead of answering."""
    fault.hit()
    end = Pending()
    failure = FaultHit("the connection was closed instead of a response")
    _when_there(hit.handle(hit.asked.message), lambda _: end.fail(failure))
    return end


def throttle(wait_ms: int) -> Effect:
    """Do the request, answer with `throttle_time_ms`, and take nothing more for that time (KIP-219)."""

    def effect(fault: InjectedFault, hit: RequestHit) -> object:
        fault.hit()
        end = Pending()

        def done(response: object) -> None:
            hit.silence(wait_ms)
            end.complete(_throttled(response, wait_ms))

        _when_there(hit.handle(hit.asked.message), done)
        return end

    return effect


def _throttled(response: object, wait_ms: int) -> object:
    if isinstance(response, LongReply):
        return response._replace(message=_throttled(response.message, wait_ms))
    if hasattr(response, "throttle_time_ms"):
        # Responses of some requests are one object for all.
        response = copy.copy(response)
        response.throttle_time_ms = wait_ms
    return response


def _after(outcome: object, change: Callable[[object], object]) -> object:
    """The response changed by `change`, now or when it is complete."""
    if not isinstance(outcome, Pending):
        return change(outcome)
    changed = Pending()

    def done(response: object) -> None:
        changed.complete(response if isinstance(response, Exception) else change(response))

    _when_there(outcome, done, changed)
    return changed


def _when_there(
    outcome: object, done: Callable[[object], None], instead: Pending | None = None
) -> None:
    """Call with the response or the error, once it is complete; `instead` waits in its place."""
    if not isinstance(outcome, Pending):
        done(outcome)
        return
    outcome.on_done(done)
    if instead is not None:
        instead.on_given_up(outcome.give_up)
