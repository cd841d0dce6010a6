"""`barnabas brokers`: the brokers of a cluster, and what each of them has."""

from collections import Counter

import click

from barnabas import Admin
from barnabas.cli.arguments.connection import administering, client_settings, connection_options
from barnabas.cli.output.output import json_option, show_rows
from barnabas.client.core.cluster.cluster_view import partitions_by_leader
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import bracketed

COLUMNS = ("broker", "address", "rack", "controller", "leaders", "replicas", "bytes")


@click.command()
@json_option
@connection_options
def brokers(servers: str, pairs: tuple[str, ...], *, as_json: bool) -> None:
    """List the brokers: where they are, and how many partitions, replicas and bytes each has."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        cluster = admin.describe_cluster()
        topics = admin.describe_topics()
        sizes = _sizes(admin)
    partitions = [one for view in topics.values() for one in view.partitions]
    led = partitions_by_leader(topics)
    replicas = Counter(broker for one in partitions for broker in one.replicas)
    rows = [
        (
            *(one.node_id, f"{bracketed(one.host)}:{one.port}", one.rack),
            "yes" if one.node_id == cluster.controller else "no",
            *(len(led.get(one.node_id, ())), replicas[one.node_id], sizes.get(one.node_id)),
        )
        for one in cluster.brokers
    ]
    title = f"Cluster {cluster.cluster_id or 'without an id'}"
    show_rows(COLUMNS, rows, title=title, as_json=as_json)


def _sizes(admin: Admin) -> dict[int, int]:
    """Bytes by broker; none where the brokers are too old to report them."""
    try:
        directories = admin.describe_log_dirs()
    except BrokerError as error:
        if error.code is not ErrorCode.UNSUPPORTED_VERSION:
            raise
        return {}
    return {
        node_id: sum(size for one in found for size in one.sizes.values())
        for node_id, found in directories.items()
    }
