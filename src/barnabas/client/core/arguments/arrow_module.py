"""pyarrow, for who works with tables; the driver does without it."""

from typing import Any

from barnabas.errors import ConfigError


def arrow_module(what: str) -> Any:
    """The module `pyarrow`, which `what` needs.

    Raises:
        ConfigError: it is not installed; the message says what installs it.
    """
    try:
        import pyarrow as pa
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        lacking = f"{what} needs pyarrow; pip install '.[arrow]' brings it"
        raise ConfigError(lacking) from error
    return pa
