"""The command tree and the exit codes. A command's module is imported when the command runs.

Exit codes: 0 success, 1 failure (one line on stderr says why and what to do), 2 wrong usage or an
invalid property value, 130 interrupted, 129 and 143 ended by SIGHUP and SIGTERM.
"""

import os
import sys
from collections.abc import Callable
from typing import Any, Never

import click

from barnabas.cli.arguments.hints import with_hints
from barnabas.cli.arguments.usage import HintingGroup
from barnabas.cli.output.log_lines import log_to_stderr
from barnabas.cli.output.printable import printable_lines
from barnabas.cli.signals import exit_cleanly_on_signals
from barnabas.errors import KafkaError
from barnabas.version import __version__


def _serve() -> click.Command:
    from barnabas.cli.serve import serve

    return serve


def _topics() -> click.Command:
    from barnabas.cli.topics import topics

    return topics


def _configs() -> click.Command:
    from barnabas.cli.configs import configs

    return configs


def _quotas() -> click.Command:
    from barnabas.cli.quotas import quotas

    return quotas


def _produce() -> click.Command:
    from barnabas.cli.records.produce import produce

    return produce


def _consume() -> click.Command:
    from barnabas.cli.records.consume import consume

    return consume


def _groups() -> click.Command:
    from barnabas.cli.groups.groups import groups

    return groups


def _brokers() -> click.Command:
    from barnabas.cli.cluster.brokers import brokers

    return brokers


def _partitions() -> click.Command:
    from barnabas.cli.cluster.partitions import partitions

    return partitions


def _elect() -> click.Command:
    from barnabas.cli.cluster.elect import elect

    return elect


def _reassign() -> click.Command:
    from barnabas.cli.cluster.reassign import reassign

    return reassign


def _demo() -> click.Command:
    from barnabas.cli.demo import demo

    return demo


def _log() -> click.Command:
    from barnabas.cli.log.log import log

    return log


def _registry() -> click.Command:
    from barnabas.cli.registry import registry

    return registry


def _profiles() -> click.Command:
    from barnabas.cli.profiles import profiles

    return profiles


def _transactions() -> click.Command:
    from barnabas.cli.transactions import transactions

    return transactions


def _pipeline() -> click.Command:
    from barnabas.cli.pipeline.pipeline import pipeline

    return pipeline


def _migrate() -> click.Command:
    from barnabas.cli.migrate.migrate import migrate

    return migrate


def _archive() -> click.Command:
    from barnabas.cli.dataflow.archive import archive

    return archive


def _replay() -> click.Command:
    from barnabas.cli.dataflow.replay import replay

    return replay


def _mirror() -> click.Command:
    from barnabas.cli.dataflow.mirror import mirror

    return mirror


def _compare() -> click.Command:
    from barnabas.cli.dataflow.compare import compare

    return compare


def _stats() -> click.Command:
    from barnabas.cli.dataflow.stats import stats

    return stats


def _wire() -> click.Command:
    from barnabas.cli.wire.wire import wire

    return wire


def _doctor() -> click.Command:
    from barnabas.cli.doctor.doctor import doctor

    return doctor


COMMANDS: dict[str, Callable[[], click.Command]] = {
    "serve": _serve,
    "topics": _topics,
    "produce": _produce,
    "consume": _consume,
    "groups": _groups,
    "transactions": _transactions,
    "configs": _configs,
    "quotas": _quotas,
    "brokers": _brokers,
    "partitions": _partitions,
    "elect": _elect,
    "reassign": _reassign,
    "log": _log,
    "registry": _registry,
    "migrate": _migrate,
    "pipeline": _pipeline,
    "archive": _archive,
    "replay": _replay,
    "mirror": _mirror,
    "compare": _compare,
    "stats": _stats,
    "wire": _wire,
    "profiles": _profiles,
    "doctor": _doctor,
    "demo": _demo,
}


class Commands(HintingGroup):
    """The commands by name, each imported on use: `serve` must start at once."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names, in the order in which a user needs them."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        load = COMMANDS.get(cmd_name)
        return load() if load else None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that closes our output early is not an error."""
        try:
            status = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:  # click would exit with 1, silently
            _end_output()
            return 0
        return status


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="barnabas %(version)s")
def barnabas() -> None:
    """Kafka for Python: a broker, a driver and a pipeline for Spark.

    barnabas serve starts a broker, and profiles lists the Kafka releases it can emulate. log and
    registry inspect files, wire decodes traffic, migrate copies topics from Kafka 0.7. pipeline,
    archive, replay, mirror, compare and stats run on Spark. The other commands talk to a broker.
    """


def main(arguments: list[str] | None = None) -> Never:
    """Run the command line and exit."""
    log_to_stderr()
    exit_cleanly_on_signals()
    try:
        status = barnabas.main(args=arguments, prog_name="barnabas", standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        _end_output()
        print(f"barnabas: cannot read or write: {error}", file=sys.stderr)
        sys.exit(1)
    except KafkaError as error:
        print(f"barnabas: {printable_lines(with_hints(error))}", file=sys.stderr)
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _end_output() -> None:
    """Python would report errors about unwritten output again while it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
