"""Runs a notebook's cells one after another, as Jupyter does, and writes what each shows as text.

`python -m tests.spark.notebook_program FILE` writes a list in JSON as its last line: for each cell of
code what it printed, and the last expression's value where that is not None. Plots are drawn and not shown.
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def main(path: Path) -> None:
    """Run it."""
    import matplotlib as mpl

    mpl.use("Agg")
    # Names of the notebook are those of a module of its own.
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(each["source"]) for each in cells if each["cell_type"] == "code"]
    shown = [_run(source, names) for source in sources]
    sys.stdout.write(f"\n{json.dumps(shown)}\n")


def _run(source: str, names: dict[str, Any]) -> list[str]:
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    found = [printed.getvalue()] if printed.getvalue() else []
    return found if value is None else [*found, repr(value)]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
