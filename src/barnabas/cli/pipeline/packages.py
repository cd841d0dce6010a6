"""Check the packages that the pipeline commands need."""

from barnabas.extras import check_extra


def check_pyspark() -> None:
    """Raise ConfigError with the remedy where a package that pipelines need is missing or too old."""
    check_extra("pipelines", "pipelines", "pyspark", "pyarrow", "yaml")
