"""Our broker with `--metrics-port`: it counts its requests."""

from tests.interop.peers.brokers.our_broker import OurBroker


class MeteredBroker(OurBroker):
    """`with MeteredBroker() as broker:` gives a running one. Nobody scrapes it."""

    name = "barnabas, with metrics"

    def command(self) -> list[str]:
        """What starts it."""
        return [*super().command(), "--metrics-port", "0"]
