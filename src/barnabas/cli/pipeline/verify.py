"""`barnabas pipeline verify`: what a project wrote, compared with plain batches."""

import sys
from pathlib import Path

import click

from barnabas.cli.arguments.usage import HintingCommand
from barnabas.cli.output.output import Cell, objects, show_json, show_rows
from barnabas.cli.output.printable import printable
from barnabas.cli.pipeline.packages import check_pyspark
from barnabas.cli.pipeline.run import MASTER, PROJECT

_COLUMNS = ("expected", "actual", "missing", "doubled", "unexpected", "disordered")


@click.command(cls=HintingCommand)
@PROJECT
@MASTER
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def verify(*, where: Path, master: str, as_json: bool) -> int:
    """Compare what a project wrote with a plain batch over the same topics.

    Each output is computed again from the topics and tables that its flow reads, up to where the
    flow is. Exits with 1 if a record is missing, doubled, unexpected, or in another order than
    those of its key. Rows that a watermark may still hold back are counted as missing, but are
    no failure.
    """
    check_pyspark()
    from barnabas.pipelines.projects.project import load_project
    from barnabas.pipelines.projects.verify import verify as verify_project

    project = load_project(where)
    checks = verify_project(project, master=master)
    right = all(each.right for each in checks)
    rows: list[tuple[Cell, ...]] = []
    for one in checks:
        counts = [getattr(one.found, name) if one.found else None for name in _COLUMNS]
        result = one.note or ("open windows" if one.open_ended else "equal")
        rows.append((one.output, *counts, result if one.right else "differs"))
    columns = ("output", *_COLUMNS, "result")
    if as_json:
        outputs = [
            row | {"first": one.found.first if one.found else []}
            for row, one in zip(objects(columns, rows), checks, strict=True)
        ]
        show_json({"pipeline": project.name, "equal": right, "outputs": outputs})
    else:
        show_rows(columns, rows, title=f"Pipeline {project.name}", as_json=False)
        for one in checks:
            for line in one.found.first if one.found else ():
                print(f"{one.output}: {printable(line)}", file=sys.stderr)
    return 0 if right else 1
