"""The releases of Kafka that clients and brokers are taken from, one of each generation."""

from tests.interop.peers.maven import KAFKA_4, KAFKA_STREAMS, MavenPeer

# What 0.8.0 and 0.8.1 name and no registry has.
_NOWHERE = (
    "com.sun.jmx:jmxri",
    "com.sun.jdmk:jmxtools",
    "javax.jms:jms",
    "javax.mail:mail",
)
# Java 11 dropped what 0.10.2 and 0.11 make ids with.
_JAXB = "jakarta.xml.bind:jakarta.xml.bind-api:2.3.3"


def _release(version: str, scala: str, *more: str, without: tuple[str, ...] = ()) -> MavenPeer:
    return MavenPeer(
        f"kafka-{version}", (f"org.apache.kafka:kafka_{scala}:{version}", *more), without
    )


KAFKA_0_8_0 = _release("0.8.0", "2.10", without=_NOWHERE)
KAFKA_0_8_1 = _release("0.8.1.1", "2.10", without=_NOWHERE)
KAFKA_0_8_2 = _release("0.8.2.2", "2.11")
KAFKA_0_9 = _release("0.9.0.1", "2.11")
KAFKA_0_10 = _release("0.10.2.2", "2.12", _JAXB)
KAFKA_0_11 = _release("0.11.0.3", "2.12", _JAXB)
KAFKA_1 = _release("1.1.1", "2.12", "log4j:log4j:1.2.17", "org.slf4j:slf4j-log4j12:1.7.25")
KAFKA_2_4 = _release("2.4.1", "2.13", "log4j:log4j:1.2.17", "org.slf4j:slf4j-log4j12:1.7.30")
KAFKA_2_8 = _release("2.8.2", "2.13", "log4j:log4j:1.2.17", "org.slf4j:slf4j-log4j12:1.7.30")


def _apart(what: str, version: str, *more: str, without: tuple[str, ...] = ()) -> MavenPeer:
    log = "log4j:log4j:1.2.17", "org.slf4j:slf4j-log4j12:1.7.30"
    main = f"org.apache.kafka:{what}:{version}"
    return MavenPeer(f"{what}-{version}", (main, *more, *log), without)


# What is not in the broker's own artifact: programs that were made to test Kafka, or its speed.
KAFKA_TOOLS_0_9 = _apart("kafka-tools", "0.9.0.1", "org.apache.kafka:kafka-clients:0.9.0.1")
KAFKA_TOOLS_0_10 = _apart("kafka-tools", "0.10.2.2")
KAFKA_TOOLS_0_11 = _apart("kafka-tools", "0.11.0.3")
KAFKA_TOOLS_1 = _apart("kafka-tools", "1.1.1")
KAFKA_TOOLS_2_4 = _apart("kafka-tools", "2.4.1")
KAFKA_TOOLS_2_8 = _apart("kafka-tools", "2.8.2")
KAFKA_STREAMS_1, KAFKA_STREAMS_2, KAFKA_STREAMS_3 = (
    _apart("kafka-streams", version, without=KAFKA_STREAMS.without)
    for version in ("1.1.1", "2.8.2", "3.9.2")
)
KAFKA_3_9 = _release(
    "3.9.2",
    "2.13",
    "org.apache.kafka:kafka-tools:3.9.2",
    "ch.qos.reload4j:reload4j:1.2.25",
    "org.slf4j:slf4j-reload4j:1.7.36",
)


def _release_4(version: str) -> MavenPeer:
    scala, tools, *log = KAFKA_4.artifacts
    places = (each.rpartition(":")[0] for each in (scala, tools))
    return MavenPeer(f"kafka-{version}", (*(f"{place}:{version}" for place in places), *log))


KAFKA_4_0 = _release_4("4.0.0")
KAFKA_4_1 = _release_4("4.1.0")
KAFKA_4_2 = _release_4("4.2.0")
KAFKA_TOOLS_4_1, KAFKA_TOOLS_4_2 = (
    MavenPeer(
        f"kafka-tools-{version}",
        (f"org.apache.kafka:kafka-tools:{version}", *KAFKA_4.artifacts[2:]),
    )
    for version in ("4.1.0", "4.2.0")
)
RELEASES = (
    KAFKA_0_8_0, KAFKA_0_8_1, KAFKA_0_8_2, KAFKA_0_9, KAFKA_0_10, KAFKA_0_11, KAFKA_1, KAFKA_2_4,
    KAFKA_2_8, KAFKA_3_9, KAFKA_4,
)  # fmt: skip
