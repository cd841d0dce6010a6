"""What the commands need that not every installation has."""

from importlib.util import find_spec

from barnabas.errors import ConfigError


def check_pyspark() -> None:
    """Raise ConfigError with the remedy where PySpark or YAML is missing."""
    missing = [name for name in ("pyspark", "pyarrow", "yaml") if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"pipelines need {', '.join(missing)}: pip install '.[pipelines]' in a copy of the "
            "project"
        )
