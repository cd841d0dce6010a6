"""Check a project's topics before Spark is started, which takes much longer."""

from barnabas import Admin
from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.project import SERVERS, SOURCE, Project, topics_of

_REFUSED_MS = 5000


def check_sources(project: Project) -> None:
    """Check that the topics that the project reads exist, and are none of those that it writes.

    Those that it writes may come later. A project without the entries of our templates passes: Spark
    finds out.

    Raises:
        ProjectError: a topic is missing, or is read and written.
        ConnectionFailed: no broker answers.
    """
    servers = project.configuration.get(SERVERS)
    wanted = {
        topic: name for name, topic in project.configuration.items() if name.startswith(SOURCE)
    }
    for name, topic in topics_of(project).items():
        if name not in wanted.values() and topic in wanted:
            raise ProjectError(
                f"{project.path}: {wanted[topic]} and {name} are both {topic}: the pipeline would read "
                "what it writes, without end. Name another topic"
            )
    if not servers or not wanted:
        return
    settings = {"bootstrap.servers": servers, "bootstrap.refused.timeout.ms": _REFUSED_MS}
    with Admin(settings) as admin:
        there = set(admin.list_topics())
    for topic, name in wanted.items():
        if topic not in there:
            raise ProjectError(
                f"{project.path}: {name} is {topic}, but there is no such topic at {servers}: "
                f"correct it, or `barnabas topics create {topic} -b {servers}`"
            )
