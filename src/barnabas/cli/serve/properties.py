"""The properties of a broker that `serve` starts: from a file, from options, and derived ones."""

import contextlib
from pathlib import Path

from barnabas.config.broker import BrokerConfig
from barnabas.config.names07 import todays_names
from barnabas.config.property_files import PropertyText, file_properties, overrides, values
from barnabas.config.releases import RELEASE_07
from barnabas.errors import ConfigError, LogDirFailed
from barnabas.types import bracketed

_ADDRESS = "--port and --host"
_LONGEST_FILE = 1 << 20


def read_file(path: str | None) -> dict[str, PropertyText]:
    """The properties of a file; None: there is none.

    Raises:
        ConfigError: it cannot be read, or is no file of properties.
    """
    if path is None:
        return {}
    try:
        with Path(path).open(encoding="utf-8") as file:
            text = file.read(_LONGEST_FILE + 1)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"cannot read {path}: it is not UTF-8 text") from None
    if len(text) > _LONGEST_FILE:
        raise ConfigError(
            f"cannot read {path}: more than {_LONGEST_FILE} characters are no properties"
        )
    return file_properties(text, Path(path).name)


def set_properties(pairs: tuple[str, ...], release: str) -> dict[str, PropertyText]:
    """The properties of --set. A file may be made for another broker; these were typed for this one.

    Raises:
        ConfigError: a pair is none, or a name is unknown.
    """
    given = overrides(pairs)
    for name, one in given.items():
        names = [*todays_names({name: one.value})] if release == RELEASE_07 else [name]
        if not all(map(BrokerConfig.knows, names)):
            raise ConfigError(f"--set {name}: unknown property{BrokerConfig.nearest(name)}")
    return given


def from_options(
    given: dict[str, PropertyText], port: int | None, host: str | None, directory: str | None
) -> dict[str, PropertyText]:
    """Turn --port, --host and the data directory into properties.

    They discard a file's advertised.listeners, which belonged to the file's listeners.
    """
    options = {}
    if directory is not None:
        options["log.dirs"] = PropertyText(str(Path(directory).absolute()), "--data-dir")
    if port is not None or host is not None or "listeners" not in given:
        place = "localhost" if host is None else host
        number = 9092 if port is None else port
        options["listeners"] = PropertyText(f"PLAINTEXT://{bracketed(place)}:{number}", _ADDRESS)
    addresses = given.get("advertised.listeners")
    if (
        (port is not None or host is not None)
        and addresses is not None
        and addresses.source != "--set"
    ):
        options["advertised.listeners"] = PropertyText("", _ADDRESS)
    return options


def configuration(given: dict[str, PropertyText], release: str = "") -> BrokerConfig:
    """Combine the properties with the defaults of a release.

    Directories do not depend on this process's working directory. Without a node id, the id stored
    in the directories applies, as in Kafka.
    """
    config = BrokerConfig.load(values(given), release=release)
    absolute = [str(Path(one).absolute()) for one in config.directories]
    changed: dict[str, object] = {}
    if absolute != list(config.directories):
        changed["log.dirs"] = absolute
    owner = None if "node.id" in config.given else _owner(absolute)
    if owner is not None and owner != config.node_id:
        changed["node.id"] = owner
    if not changed:
        return config
    # A second parse would repeat the warnings of the first.
    known = {name: config.value(name) for name in config.given}
    return BrokerConfig.load({**known, **changed}, release=release)


def _owner(directories: list[str]) -> int | None:
    """Return the node id in the first valid meta.properties."""
    from barnabas.log.directories.meta_properties import META_PROPERTIES, parse_meta_properties

    for directory in directories:
        path = Path(directory) / META_PROPERTIES
        # The broker reports an unreadable one itself, and may run without that directory.
        with contextlib.suppress(OSError, LogDirFailed):
            # To open a pipe takes until somebody opens its other end.
            if not path.is_file() or path.stat().st_size > _LONGEST_FILE:
                continue
            return parse_meta_properties(str(path), path.read_bytes()).node_id
    return None
