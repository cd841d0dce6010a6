"""pyarrow, for users who work with tables; the driver does not need it."""

from typing import Any

from barnabas.errors import ConfigError


def arrow_module(what: str) -> Any:
    """Return the module `pyarrow`, which `what` needs.

    Raises:
        ConfigError: it is not installed; the message says how to install it.
    """
    try:
        import pyarrow as pa
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        lacking = f"{what} needs pyarrow: pip install 'barnabas[arrow]'"
        raise ConfigError(lacking) from error
    return pa
