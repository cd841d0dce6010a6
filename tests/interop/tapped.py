"""Our broker with two listeners: one for the test's own checks, one with a tap for the client under test."""

from types import TracebackType
from typing import Self

from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.ready import free_ports
from tests.interop.peers.tap import Tap


class TappedBroker:
    """`with TappedBroker() as broker:`; who connects to `broker.tapped` stays behind the tap."""

    name = "barnabas"

    def __init__(self) -> None:
        plain, watched = free_ports(2)
        self.tap = Tap(watched)
        self.ours = OurBroker(
            properties={
                "listeners": f"PLAINTEXT://127.0.0.1:{plain},TAPPED://127.0.0.1:{watched}",
                "advertised.listeners": f"PLAINTEXT://127.0.0.1:{plain},"
                f"TAPPED://127.0.0.1:{self.tap.port}",
                "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,TAPPED:PLAINTEXT",
            }
        )
        self.ours.port = plain
        self.bootstrap_servers = self.ours.bootstrap_servers
        self.data_dir = self.ours.data_dir
        self.tapped = f"127.0.0.1:{self.tap.port}"

    def __enter__(self) -> Self:
        self.ours.__enter__()
        self.tap.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.tap.__exit__(kind, error, trace)
        self.ours.__exit__(kind, error, trace)
