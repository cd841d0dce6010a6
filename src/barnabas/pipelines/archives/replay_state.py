"""The progress of a replay: the numbers of the batches that its tasks have committed, stored in the target.

Each task of a batch is one transaction, which also stores the batch's number as an offset of a group
without members (see `barnabas.spark.sink.exactly_once`). So only the target is read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from barnabas.client.sync.admin import Admin
from barnabas.spark.sink.exactly_once import BATCH_NUMBER

SINK = "replay"
"""The name of the sink, as `ExactlyOnce` has it."""


@dataclass(frozen=True, slots=True)
class ReplayState:
    """One replay of an archive into topics. `query` names it; the number of its `tasks` is fixed."""

    query: str
    tasks: int

    @classmethod
    def of(cls, admin: Admin, archive: str, names: Mapping[str, str], tasks: int) -> "ReplayState":
        """The replay of the archive with this id; topics that were created again begin another one."""
        cluster = admin.describe_cluster().cluster_id
        found = admin.describe_topics(names.values())
        ids = [(ours, theirs, found[theirs].topic_id.hex()) for ours, theirs in names.items()]
        text = repr((archive, cluster, sorted(ids), tasks))
        return cls(sha256(text.encode()).hexdigest()[:24], tasks)

    def committed(self, admin: Admin) -> int | None:
        """The last batch that all tasks have committed; None before the first.

        Aborts open transactions of an earlier run. If that run still works, it fails.
        """
        done = []
        for task in range(self.tasks):
            name = f"spark-barnabas-{SINK}-{self.query}-{task}"
            admin.fence_producer(name)
            saved = admin.list_group_offsets(name, [BATCH_NUMBER]).get(BATCH_NUMBER)
            done.append(-1 if saved is None else saved.offset)
        return None if max(done) < 0 else min(done)
