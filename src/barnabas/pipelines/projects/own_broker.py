"""A broker for the time of a run, at the address that a project names."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from barnabas.client.core.cluster.bootstrap import parse_addresses
from barnabas.errors import KafkaError
from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.project import SERVERS, Project
from barnabas.testing.embedded_broker import EmbeddedBroker


@contextmanager
def own_broker(project: Project, data_dir: Path) -> Iterator[str]:
    """Start a broker with its data in `data_dir`, and the topic to read if it is missing.

    Yields:
        Its address.

    Raises:
        ProjectError: the project names no address on this machine, or the broker cannot start there.
    """
    servers = project.configuration.get(SERVERS, "")
    addresses = parse_addresses(servers.split(",")) if servers else []
    if len(addresses) != 1:
        raise ProjectError(
            f"{project.path}: to run with a broker, `configuration` needs {SERVERS} with one "
            "address on this machine, as localhost:9092"
        )
    data_dir.mkdir(parents=True, exist_ok=True)
    broker = EmbeddedBroker({"listeners": f"PLAINTEXT://{servers}"}, data_dir=data_dir)
    try:
        broker.start()
    except (KafkaError, OSError) as error:
        raise ProjectError(f"no broker can be started at {servers}: {error}") from error
    try:
        yield servers
    finally:
        broker.stop()
