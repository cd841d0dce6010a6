"""The commands: name, module, and a line of help.

`barnabas --help` and shell completion read this table alone: importing all commands takes ten times
as long. A test compares the lines with the commands' docstrings.
"""

from importlib import import_module
from typing import Final, NamedTuple

import click


class CommandPlace(NamedTuple):
    """A module below `barnabas` that has a command, and the first sentence of its help."""

    module: str
    summary: str


COMMANDS: Final = {
    "serve": CommandPlace(
        "cli.serve.serve",
        "Run a broker in this process, or a cluster, until SIGTERM, SIGHUP or Ctrl-C.",
    ),
    "console": CommandPlace(
        "cli.console", "Show a cluster in a browser: topics, records, groups, brokers."
    ),
    "topics": CommandPlace("cli.topics", "Inspect topics and change them."),
    "produce": CommandPlace(
        "cli.records.produce", "Send each line of stdin to TOPIC as one record."
    ),
    "consume": CommandPlace("cli.records.consume", "Print the records of TOPIC."),
    "groups": CommandPlace(
        "cli.groups.groups", "Inspect consumer groups and change their positions."
    ),
    "transactions": CommandPlace(
        "cli.transactions.transactions", "Inspect transactions, find and abort hanging ones."
    ),
    "configs": CommandPlace("cli.configs", "Show or change properties of brokers, topics, groups."),
    "quotas": CommandPlace("cli.quotas", "Show or change the quotas of clients."),
    "top": CommandPlace(
        "cli.top.top",
        "Show topics by rate, groups by lag, and brokers, refreshed until q or Ctrl-C.",
    ),
    "brokers": CommandPlace(
        "cli.cluster.brokers",
        "List the brokers: where they are, and how many partitions, replicas and bytes each has.",
    ),
    "partitions": CommandPlace(
        "cli.cluster.partitions",
        "List partitions with their leader and replicas, and what is wrong with them.",
    ),
    "elect": CommandPlace(
        "cli.cluster.elect",
        "Make the first replica of partitions their leader, where it is in sync; lists those that changed.",
    ),
    "reassign": CommandPlace(
        "cli.cluster.reassign", "Move replicas to other brokers, and change how many there are."
    ),
    "log": CommandPlace(
        "cli.log.log", "Inspect the files of a log: of any Kafka release, or of Barnabas."
    ),
    "registry": CommandPlace(
        "cli.registry", "Inspect and repair the file with a broker's topics, properties and quotas."
    ),
    "migrate": CommandPlace(
        "cli.migrate.migrate",
        "Copy TOPIC of Kafka 0.7 to a new topic, compare both, and move its groups.",
    ),
    "pipeline": CommandPlace(
        "cli.pipeline.pipeline", "Run declarative pipelines of Spark that read and write topics."
    ),
    "archive": CommandPlace(
        "cli.dataflow.archive",
        "Write what TOPICS have now to Parquet files, each record once, and check that all are there.",
    ),
    "replay": CommandPlace(
        "cli.dataflow.replay",
        "Write the archive in DIR to its topics, each record once, and compare both.",
    ),
    "mirror": CommandPlace(
        "cli.dataflow.mirror",
        "Copy what TOPICS have now to the cluster of -b, each record once, and compare both.",
    ),
    "compare": CommandPlace(
        "cli.dataflow.compare",
        "Compare all records of SOURCE and TARGET: how many, which, and in which order.",
    ),
    "stats": CommandPlace(
        "cli.dataflow.stats", "Read all of TOPIC and show its rates, sizes, keys, skew and codecs."
    ),
    "wire": CommandPlace("cli.wire.wire", "Decode the traffic of clients and brokers."),
    "profiles": CommandPlace(
        "cli.profiles",
        "List the Kafka releases that a broker can emulate, or the APIs of one RELEASE.",
    ),
    "doctor": CommandPlace(
        "cli.doctor.doctor",
        "Check Python, kernels, packages, Java, port, limits and data directory.",
    ),
    "completion": CommandPlace(
        "cli.completion.completion",
        "Print a script that completes commands, options and names in SHELL.",
    ),
    "demo": CommandPlace(
        "cli.demo",
        "Send a year of real flights through broker, driver and Spark, and check the result.",
    ),
}
"""In the order in which a user needs them."""


def load_command(name: str) -> click.Command | None:
    """Import a command; None: there is none of this name."""
    place = COMMANDS.get(name)
    if place is None:
        return None
    command = getattr(import_module(f"barnabas.{place.module}"), name)
    assert isinstance(command, click.Command)
    return command
