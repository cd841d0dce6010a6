"""The release of brokers that do not respond to ApiVersions, named by the user. Connects to nothing."""

from barnabas.config.clients import ClientConfig
from barnabas.config.releases import is_before, release_line


def fallback_release(config: ClientConfig) -> str:
    """The release line of `broker.version.fallback`; empty without one."""
    named = config.broker_version_fallback
    return release_line(named) if named else ""


def falls_back_before(config: ClientConfig, release: str) -> bool:
    """Whether brokers may be older than a release line, by what the user has named."""
    named = fallback_release(config)
    return bool(named) and is_before(named, release)
