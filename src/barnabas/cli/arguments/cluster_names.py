"""The names of topics and groups, for a shell that completes one.

It prints nothing and raises no error: a shell would show it amid the typed line.
"""

import logging
from typing import Final

import click

from barnabas import Admin
from barnabas.cli.arguments.hints import DEFAULT_SERVERS
from barnabas.config.property_files import merge, overrides, values
from barnabas.errors import KafkaError

_PATIENCE_MS: Final = 1500
"""Longer than a healthy cluster takes, shorter than what makes somebody press the key again."""


def names_of(what: str, ctx: click.Context, place: str = "servers") -> list[str]:
    """The names of all topics or groups of a cluster; none if it does not answer soon.

    `place` is the parameter with its address, usually that of -b.
    """
    servers = ctx.params.get(place) or (DEFAULT_SERVERS if place == "servers" else "")
    if not servers:
        return []
    soon = {
        "bootstrap.refused.timeout.ms": 0,
        "default.api.timeout.ms": _PATIENCE_MS,
        "request.timeout.ms": _PATIENCE_MS,
    }
    before = logging.root.manager.disable
    logging.disable()
    try:
        given = values(merge(overrides(ctx.params.get("pairs") or (), "-X")))
        with Admin({**given, **soon, "bootstrap.servers": servers}) as admin:
            if what == "topic":
                return admin.list_topics()
            return [one.group_id for one in admin.list_groups()]
    except KafkaError:
        return []
    finally:
        logging.disable(before)
