"""The settings of a streams group: the broker's properties and its own."""

from collections.abc import Mapping

from barnabas.broker.groups.limits import streams_standbys, times_of
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.streams_group.settings import StreamsSettings

_DELAY = "streams.initial.rebalance.delay.ms"


def streams_policy(config: BrokerConfig, own: Mapping[str, str]) -> StreamsSettings:
    """What a streams group obeys that has these properties of its own."""
    times = times_of(config, "streams")
    return StreamsSettings(
        session_ms=times.session.of(own),
        heartbeat_ms=times.heartbeat.of(own),
        assignment_interval_ms=times.assignment.of(own),
        initial_delay_ms=int(own.get(_DELAY, config.group_streams_initial_rebalance_delay_ms)),
        standbys=streams_standbys(config).of(own),
        max_size=config.group_streams_max_size,
    )
