"""The Spark connector: a Python Data Source. What its users call is here by name.

`session` and `register` prepare Spark, `despite_late_workers` restarts a query, `lag` and `ProgressLog`
report its progress, and `ExactlyOnce` is a function for `foreachBatch`. These names are imported on first
use, because each worker process of Spark imports this package.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if find_spec("pyspark") is None:
    raise ImportError(
        "barnabas.spark needs PySpark, pyarrow and Java: pip install 'barnabas[spark]' brings the first "
        "two, and a Java where there is none",
        name="pyspark",
    )

if TYPE_CHECKING:
    from barnabas.spark.monitoring import ProgressLog, lag
    from barnabas.spark.sessions.local_session import register, session
    from barnabas.spark.sink.foreach_batch import ExactlyOnce
    from barnabas.spark.workers.worker_retries import despite_late_workers

_HOME = {
    "ExactlyOnce": "sink.foreach_batch",
    "ProgressLog": "monitoring",
    "despite_late_workers": "workers.worker_retries",
    "lag": "monitoring",
    "register": "sessions.local_session",
    "session": "sessions.local_session",
}

__all__ = ["ExactlyOnce", "ProgressLog", "despite_late_workers", "lag", "register", "session"]


def __getattr__(name: str) -> object:
    """Import a name from its module, and keep it."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found
