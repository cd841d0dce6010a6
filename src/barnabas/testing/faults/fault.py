"""InjectedFault: which requests a fault matches, how often it did, and how it ends."""

from collections.abc import Callable, Iterable
from functools import cached_property
from types import TracebackType
from typing import NamedTuple, Self

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import InvalidArgument
from barnabas.protocol.api_keys import ApiKey
from barnabas.testing.faults.names import groups_in, topics_in


class SeenRequest:
    """A request as faults see it. `message` is an object of `barnabas.protocol`, valid during the call."""

    def __init__(self, broker: Broker, context: RequestContext, message: object) -> None:
        self.broker = broker
        self.api = ApiKey(context.api_key)
        self.version = context.api_version
        self.client_id = context.client_id
        self.connection = context.connection
        self.message = message

    def name_of_id(self, topic_id: bytes) -> str | None:
        """The name of a topic that is named by its id."""
        topic = self.broker.topics.by_id(topic_id)
        return None if topic is None else topic.name

    @cached_property
    def topics(self) -> frozenset[str]:
        """The names of the topics in the request."""
        return frozenset(topics_in(self.message, self.name_of_id))

    @cached_property
    def groups(self) -> frozenset[str]:
        """The ids of the groups in the request."""
        return frozenset(groups_in(self.message))


class Filter(NamedTuple):
    """Selects requests; a field that is None or empty excludes none."""

    apis: frozenset[ApiKey]
    topic: str | None = None
    group: str | None = None
    client_id: str | None = None
    where: Callable[[SeenRequest], bool] | None = None

    def takes(self, asked: SeenRequest) -> bool:
        """Whether a request is selected."""
        return (
            (not self.apis or asked.api in self.apis)
            and (self.topic is None or self.topic in asked.topics)
            and (self.group is None or self.group in asked.groups)
            and (self.client_id is None or self.client_id == asked.client_id)
            and (self.where is None or self.where(asked))
        )


class InjectedFault:
    """One fault. `hits` counts the requests that it affected; `stop` or the end of a `with` ends it."""

    def __init__(
        self,
        meant: Filter,
        on_stop: Callable[["InjectedFault"], None],
        times: int | None = None,
    ) -> None:
        """`times`: the number of hits after which the fault ends; None: only `stop` ends it."""
        if times is not None and times < 1:
            raise InvalidArgument(f"times={times}: expected 1 or more, or None for until stop()")
        self.meant = meant
        self.hits = 0
        self.is_over = False
        self._times = times
        self._on_stop = on_stop

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def takes(self, asked: SeenRequest) -> bool:
        """Whether the fault affects a request."""
        return not self.is_over and self.meant.takes(asked)

    def hit(self) -> None:
        """Count an affected request."""
        self.hits += 1
        if self.hits == self._times:
            self.is_over = True

    def stop(self) -> None:
        """End the fault and send the responses that it holds back; a second call does nothing."""
        self.is_over = True
        self._on_stop(self)


class MovedFault(InjectedFault):
    """Refuses a client's requests until the client, once refused, has looked up where to send them.

    Lookups before the first refusal do not count, so each new client is refused once. Clients are
    distinguished by their client ids.
    """

    def __init__(
        self,
        meant: Filter,
        on_stop: Callable[["InjectedFault"], None],
        asks: Iterable[ApiKey],
    ) -> None:
        """`asks`: the APIs by which a client looks up where to send requests."""
        super().__init__(meant, on_stop)
        self._asks = frozenset(asks)
        self._refused: set[str | None] = set()
        self._found: set[str | None] = set()

    def takes(self, asked: SeenRequest) -> bool:
        """Whether the request's client has not looked up the move yet."""
        if asked.api in self._asks:
            if asked.client_id in self._refused:
                self._found.add(asked.client_id)
            return False
        takes = asked.client_id not in self._found and super().takes(asked)
        if takes:
            self._refused.add(asked.client_id)
        return takes
