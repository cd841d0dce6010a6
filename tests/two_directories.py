"""A cluster of ours whose brokers have two log directories each."""

from pathlib import Path

from barnabas import Admin, Consumer, NewTopic
from barnabas.config.broker import BrokerConfig
from barnabas.errors import ErrorCode
from barnabas.protocol.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopic,
)
from barnabas.testing import EmbeddedCluster
from barnabas.types import TopicPartition
from tests.unit.broker.raw_client import RawClient
from tests.waiting import SECONDS, wait


class TwoDirectories(EmbeddedCluster):
    """Each broker has the log directories `first` and `second`."""

    def _configuration(self, broker: int, port: int) -> BrokerConfig:
        self._config["log.dirs"] = ",".join(map(str, self.directories(broker)))
        return super()._configuration(broker, port)

    def directories(self, broker: int) -> tuple[Path, Path]:
        assert self._data_dir is not None
        return self._data_dir / f"{broker}-first", self._data_dir / f"{broker}-second"

    def places(self, broker: int, topic: str, index: int = 0) -> list[Path]:
        """The directories of a broker that have a log: for a moment both, when it moves."""
        return [one for one in self.directories(broker) if (one / f"{topic}-{index}").exists()]

    def place(self, broker: int, topic: str, index: int = 0) -> Path:
        (found,) = self.places(broker, topic, index)
        return found

    def other(self, broker: int, topic: str, index: int = 0) -> Path:
        (found,) = {*self.directories(broker)} - {self.place(broker, topic, index)}
        return found

    def move(self, broker: int, topic: str, target: Path) -> ErrorCode:
        topics = [AlterReplicaLogDirTopic(name=topic, partitions=[0])]
        row = AlterReplicaLogDir(path=str(target), topics=topics)
        with RawClient(self._open.addresses[broker].port) as client:
            request = AlterReplicaLogDirsRequest(dirs=[row])
            answer = client.ask(request, 2, AlterReplicaLogDirsResponse)
        return ErrorCode(answer.results[0].partitions[0].error_code)

    def records(self, broker: int, topic: str) -> bytes:
        folder = self.place(broker, topic) / f"{topic}-0"
        return b"".join(one.read_bytes() for one in sorted(folder.glob("*.log")))

    def offline(self, topic: str, index: int) -> tuple[int, ...]:
        member = self._open._running[self.controller()].node._server.broker.member
        assert member is not None
        state = member.image.partition(TopicPartition(topic, index))
        assert state is not None
        return state.offline


def create(cluster: EmbeddedCluster, topic: str, *assignments: list[int]) -> None:
    expected = [sorted(replicas) for replicas in assignments]
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.create_topics([NewTopic(topic, assignments=assignments)])
    wait(lambda: [cluster.in_sync(topic, one) for one in range(len(assignments))] == expected)


def consumed(cluster: EmbeddedCluster, topic: str, count: int, index: int = 0) -> list[int]:
    with Consumer(bootstrap_servers=cluster.bootstrap_servers) as consumer:
        consumer.assign([TopicPartition(topic, index)])
        consumer.seek_to_beginning()
        found: list[int] = []
        while len(found) < count:
            found += [int(one.value or b"") for one in consumer.poll(SECONDS)]
    return found
