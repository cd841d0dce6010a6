"""The topics and clusters that a pipeline continues with, stored in its directory.

Offsets do not show that a topic was deleted and created again, and a checkpoint does not name its target.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from pyspark.sql import SparkSession

from barnabas.client.sync.admin import Admin
from barnabas.pipelines.checkpoint import if_there
from barnabas.pipelines.errors import PipelineRefused

_COLUMNS: Final = "side STRING, topic STRING, name STRING, cluster STRING, id STRING"


class TopicIdentity(NamedTuple):
    """A topic at one side of a pipeline: `topic` of the source has the name `name` there.

    `cluster` and `id` (hexadecimal) are empty where brokers have none: those of clusters came with
    0.10.1, of topics with 2.8 (KIP-516). `id` is None where there is no such topic.
    """

    side: str
    topic: str
    name: str
    cluster: str
    id: str | None


def identities(
    admin: Admin, side: Literal["source", "target"], names: Mapping[str, str]
) -> list[TopicIdentity]:
    """The topics as they are now; `names` has the name at this side for each of the source."""
    cluster = admin.describe_cluster().cluster_id or ""
    there = set(names.values()).intersection(admin.list_topics(internal=True))
    found = admin.describe_topics(there) if there else {}
    ids: dict[str, str | None] = {
        name: each.topic_id.hex() if any(each.topic_id) else "" for name, each in found.items()
    }
    return [
        TopicIdentity(side, topic, name, cluster, ids.get(name)) for topic, name in names.items()
    ]


class TopicIdentities:
    """The topics of a pipeline's earlier runs, in the folder `path` of its directory.

    `begun`: there was a run; else what the folder has is of one that never began.
    """

    def __init__(self, spark: SparkSession, path: str, *, begun: bool) -> None:
        self._spark = spark
        self._path = path
        self._begun = begun
        frame = if_there(lambda: spark.read.schema(_COLUMNS).json(path)) if begun else None
        self._kept = [] if frame is None else [TopicIdentity(*row) for row in frame.collect()]

    def check(self, present: list[TopicIdentity]) -> None:
        """Refuse other topics than before.

        Raises:
            PipelineRefused: one is another now, or gone.
        """
        check_same(self._kept, present, self._path.rpartition("/")[0])

    def keep(self, present: list[TopicIdentity]) -> None:
        """Keep the topics that are new. Raises as `check`."""
        self.check(present)
        known = {(each.side, each.topic) for each in self._kept}
        new = [each for each in present if (each.side, each.topic) not in known]
        if new:
            rows = self._spark.createDataFrame(new, _COLUMNS).coalesce(1)
            rows.write.mode("append" if self._begun else "overwrite").json(self._path)


def check_same(kept: list[TopicIdentity], present: list[TopicIdentity], directory: str) -> None:
    """Compare what a directory has kept with what is there.

    Raises:
        PipelineRefused: a topic is another now.
    """
    now = {(each.side, each.topic): each for each in present}
    for before in kept:
        each = now.get((before.side, before.topic), before)
        if each.name != before.name:
            problem = f"writes {each.topic} to {before.name}, not to {each.name}"
        elif _differ(each.cluster, before.cluster):
            problem = (
                f"continues {each.name} of the cluster {before.cluster}, and the {each.side} "
                f"is the cluster {each.cluster} now"
            )
        elif each.id is None or _differ(each.id, before.id):
            problem = (
                f"continues a topic {each.name} that is gone from the {each.side}: it was deleted, "
                "and one of the same name is another topic"
            )
        else:
            continue
        raise PipelineRefused(
            f"what {directory} keeps {problem}. To begin again name another directory"
        )


def _differ(one: str | None, other: str | None) -> bool:
    return bool(one and other) and one != other
