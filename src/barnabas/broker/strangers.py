"""The properties of topics whose logs some other broker left in our directories."""

import logging
from collections.abc import Callable, Collection, Mapping

from barnabas.broker.kraft_metadata import ToldTopic
from barnabas.errors import BrokerError

log = logging.getLogger(__name__)


def config_of_stranger(
    told: ToldTopic | None,
    name: str,
    ids: Collection[bytes],
    *,
    internal: bool,
    check: Callable[[Mapping[str, str]], None],
) -> dict[str, str]:
    """What a topic gets whose logs have these `ids`: what is `told` of it, over what is safe.

    What its broker had as defaults nobody knows: nothing goes until somebody says what may.
    `check` raises BrokerError where a topic cannot have some properties: such a one is told, and left
    out.
    """
    safe = {"retention.bytes": "-1", "retention.ms": "-1"}
    config = {"cleanup.policy": "compact"} if internal else safe
    if told is None:
        return config
    if any(each != told.topic_id for each in ids):
        log.warning(
            "metadata log has another topic of that name: no properties taken over",
            extra={"topic": name},
        )
        return config
    for key, value in told.config.items():
        try:
            check({**config, key: value})
        except BrokerError as error:
            log.warning(
                "property of a topic not taken over",
                extra={"topic": name, "property": f"{key}={value}", "why": error},
            )
        else:
            config[key] = value
    return config
