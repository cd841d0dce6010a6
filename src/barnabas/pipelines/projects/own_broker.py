"""Start a broker for the time of a run, at the address in the project."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from barnabas import Admin, NewTopic
from barnabas.client.core.cluster.bootstrap import parse_addresses
from barnabas.errors import KafkaError
from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.project import SERVERS, Project, servers_of, topics_of
from barnabas.testing.embedded_broker import EmbeddedBroker


@contextmanager
def own_broker(project: Project, data_dir: Path) -> Iterator[str]:
    """Start a broker with its data in `data_dir`, and create the project's topics where missing.

    Yields:
        Its address.

    Raises:
        ProjectError: the project names no address on this machine, or the broker cannot start there.
    """
    servers = servers_of(project)
    if len(parse_addresses(servers.split(","))) > 1:
        raise ProjectError(
            f"{project.path}: to run with a broker, {SERVERS} needs one address, not {servers}"
        )
    data_dir.mkdir(parents=True, exist_ok=True)
    broker = EmbeddedBroker(
        {"listeners": f"PLAINTEXT://{servers}"}, data_dir=data_dir, record_requests=False
    )
    try:
        broker.start()
    except (KafkaError, OSError) as error:
        raise ProjectError(
            f"no broker can be started at {servers}: {error}. If one of yours runs there, leave out "
            "--with-broker"
        ) from error
    try:
        with Admin(bootstrap_servers=servers) as admin:
            missing = sorted(set(topics_of(project).values()) - set(admin.list_topics()))
            admin.create_topics([NewTopic(name, 1) for name in missing])
        yield servers
    finally:
        broker.stop()
