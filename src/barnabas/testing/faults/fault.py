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
        """The names of the topics that it is about."""
        return frozenset(topics_in(self.message, self.name_of_id))

    @cached_property
    def groups(self) -> frozenset[str]:
        """The ids of the groups that it is about."""
        return frozenset(groups_in(self.message))


class Filter(NamedTuple):
    """Which requests are meant; what is None or empty excludes none."""

    apis: frozenset[ApiKey]
    topic: str | None = None
    group: str | None = None
    client_id: str | None = None
    where: Callable[[SeenRequest], bool] | None = None

    def takes(self, asked: SeenRequest) -> bool:
        """Whether a request is one of them."""
        return (
            (not self.apis or asked.api in self.apis)
            and (self.topic is None or self.topic in asked.topics)
            and (self.group is None or self.group in asked.groups)
            and (self.client_id is None or self.client_id == asked.client_id)
            and (self.where is None or self.where(asked))
        )


class InjectedFault:
    """One fault. `hits` counts the requests that it met; `stop` ends it, as does the end of a `with`."""

    def __init__(
        self,
        meant: Filter,
        on_stop: Callable[["InjectedFault"], None],
        times: int | None = None,
    ) -> None:
        """`times`: after so many hits it is over; None: `stop` ends it."""
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
        """Whether it is to hit a request."""
        return not self.is_over and self.meant.takes(asked)

    def hit(self) -> None:
        """Count one request that it met."""
        self.hits += 1
        if self.hits == self._times:
            self.is_over = True

    def stop(self) -> None:
        """Hit nothing more, and answer what it still holds back; a second call does nothing."""
        self.is_over = True
        self._on_stop(self)


class MovedFault(InjectedFault):
    """Requests are refused until their client, once refused, has asked anew where to send them.

    What it asked before tells it nothing: a new client asks first, and is refused all the same. Client ids tell
    clients apart.
    """

    def __init__(
        self,
        meant: Filter,
        on_stop: Callable[["InjectedFault"], None],
        asks: Iterable[ApiKey],
    ) -> None:
        """`asks`: the requests by which a client finds its way."""
        super().__init__(meant, on_stop)
        self._asks = frozenset(asks)
        self._refused: set[str | None] = set()
        self._found: set[str | None] = set()

    def takes(self, asked: SeenRequest) -> bool:
        """Whether a request goes where its client went before the move."""
        if asked.api in self._asks:
            if asked.client_id in self._refused:
                self._found.add(asked.client_id)
            return False
        takes = asked.client_id not in self._found and super().takes(asked)
        if takes:
            self._refused.add(asked.client_id)
        return takes
