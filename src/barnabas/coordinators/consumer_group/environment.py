"""GroupEnvironment: what all consumer groups of a broker use."""

from collections.abc import Callable
from typing import NamedTuple

from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.consumer_group.settings import ConsumerSettings


class GroupEnvironment(NamedTuple):
    """The existing topics, and a group's settings by its id."""

    topics: TopicsView
    settings_of: Callable[[str], ConsumerSettings]
