"""--topic of the commands that change positions: a topic, or some of its partitions."""

import click

from barnabas.cli.arguments.names import TOPIC, named


def _with_numbers(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Make an option refuse what is neither a topic nor a topic with partition numbers."""
    for text in value:
        topic, _, numbers = text.partition(":")
        named("topic")(ctx, param, topic)
        for number in filter(None, numbers.split(",")):
            if not (number.isascii() and number.isdecimal()):
                raise click.BadParameter(f"{text}: {number} is not a number", ctx, param)
    return value


topics_option = click.option(
    "-t",
    "--topic",
    "topics",
    multiple=True,
    type=TOPIC,
    callback=_with_numbers,
    metavar="TOPIC[:0,1]",
    help="A topic, optionally with partition numbers after a colon; repeatable.",
)
"""The command receives `topics`."""
