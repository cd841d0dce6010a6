"""What the commands need that not every installation has."""

from importlib.util import find_spec

from barnabas.errors import ConfigError
from barnabas.extras import check_extra, install


def check_pyspark() -> None:
    """Raise ConfigError with the remedy where a package that pipelines need is missing or too old."""
    check_extra("pipelines", "pipelines")
    missing = [name for name in ("pyspark", "pyarrow", "yaml") if find_spec(name) is None]
    if missing:
        raise ConfigError(f"pipelines need {', '.join(missing)}: {install('pipelines')}")
