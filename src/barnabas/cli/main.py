"""The command tree and the exit codes. A command's module is imported when the command runs.

Exit codes: 0 success, 1 failure (one line on stderr says why and what to do), 2 wrong usage or an
invalid property value, 130 interrupted, 129 and 143 ended by SIGHUP and SIGTERM.
"""

import os
import sys
from typing import Any, Never

import click
from click.shell_completion import CompletionItem

from barnabas.cli.arguments.hints import with_hints
from barnabas.cli.arguments.usage import HintingGroup, with_close
from barnabas.cli.command_table import COMMANDS, load_command
from barnabas.cli.output.log_lines import log_to_stderr
from barnabas.cli.output.printable import printable_lines
from barnabas.cli.signals import exit_cleanly_on_signals
from barnabas.errors import KafkaError
from barnabas.version import __version__

_ASKS = "_BARNABAS_COMPLETE"
"""The environment variable in which a shell asks for completions; click defines its name."""


class Commands(HintingGroup):
    """The commands by name, each imported on use: `serve` must start at once."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names, in the order in which a user needs them."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        return load_command(cmd_name)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.summary) for name, place in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands or options that begin so, without importing the commands."""
        options = click.Command.shell_complete(self, ctx, incomplete)
        return options + [
            CompletionItem(name, help=place.summary)
            for name, place in COMMANDS.items()
            if name.startswith(incomplete)
        ]

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

    barnabas serve starts a broker, and profiles lists the Kafka releases it can emulate. console
    shows any cluster in a browser, top on a terminal. log and registry inspect files, wire decodes
    traffic, migrate copies topics from Kafka 0.7. pipeline, archive, replay, mirror, compare and
    stats run on Spark. The other commands talk to a broker.
    """


def main(arguments: list[str] | None = None) -> Never:
    """Run the command line and exit."""
    if _ASKS in os.environ:
        from barnabas.cli.completion.completion import register_shells

        register_shells()
    log_to_stderr()
    exit_cleanly_on_signals()
    try:
        status = barnabas.main(args=arguments, prog_name="barnabas", standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        if isinstance(error, click.NoSuchOption):
            error = with_close(error)
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
