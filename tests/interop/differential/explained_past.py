"""The differences from releases of the past that are meant, each with its reason."""

from tests.interop.differential.unserved import unserved
from tests.interop.differential.verdict import Difference

_BROKEN = "says what is wrong where Kafka only says that something is"
_UNKNOWN_CODEC = Difference("unknown codec in *", "*.error_code", _BROKEN, -1, 76)
_REFUSED = (Difference("not gzip in *", "*.error_code", _BROKEN, -1, 2), _UNKNOWN_CODEC)
_REFUSED_SINCE_2_4 = (Difference("not gzip in *", "*.error_code", _BROKEN, -1, 87), _UNKNOWN_CODEC)
_MECHANISMS = tuple(
    Difference(
        f"{mechanism} in 0",
        "mechanisms",
        "no listener has SASL; Kafka names its default",
        ["GSSAPI"],
    )
    for mechanism in ("PLAIN", "nonsense")
)
_COUNT = (
    Difference("at most -1 in 0", "*.error_code", "no offsets; Kafka stumbles over it", -1, 0),
)
_FROM_WITHIN = Difference(
    "* from 5 in *", "*.records", "what was converted begins at the offset, not at its wrapper"
)
_EARLY_STABLE = Difference(
    "*", "*.last_stable_offset", "returned to all, as since 2.0; before only on request", -1
)
_NO_FEATURES = Difference("*", "*_features*", "no features are claimed")
_SIZES = "the limit holds for what is converted; in Kafka for what is stored, and more may be cut"

_CONVERTED = (
    _FROM_WITHIN,
    Difference("*, * bytes in *", "*.records", _SIZES),
)
_CUT = Difference("* from 0 in [23]", "*.records", _SIZES)
_LONG = Difference(
    "long in 0", "*.error_code", "names may be 249 long; to 0.9 they were 255", 5, 17
)
_NO_MAGIC = "taken for damage, as since 0.10; Kafka to 0.9 looks at no magic"
_MAGIC = (
    Difference("magic to come in *", "*.error_code", _NO_MAGIC, 0, 2),
    Difference("magic to come in *", "*.base_offset", _NO_MAGIC, 0, -1),
    Difference("after magic to come in *", "*.high_watermark", _NO_MAGIC, 1, 0),
    Difference("after magic to come in *", "*.records*", _NO_MAGIC),
)

_STUMBLES = Difference("*, created", "", "Kafka stumbles over what is no value", -1, 40)
_REFUSED_LATER = tuple(
    Difference(f"{value}, *", "*", "refused as in later releases", 0)
    for value in (
        "flush.messages='0'",
        "leader.replication.throttled.replicas='[*],0:1'",
        "message.format.version='9.9'",
        "message.timestamp.type='Noon'",
        "retention.ms='-2'",
    )
)
_DEFAULTS = Difference(
    "described in 0",
    "*.is_default",
    "returned; Kafka since 2.x leaves it out",
    ours=True,
    theirs=False,
)

_IN_ANOTHER = tuple(
    Difference(f"{what} of 'g/*", "*", "no group has nodes amid those of another one", theirs, -1)
    for what, theirs in (("commit", 0), ("nothing", 3), ("returned", 7), ("returned", 0))
)
_NO_ZOOKEEPER = Difference("*", "*", "served without ZooKeeper too, as one served with it")

EXPLAINED: dict[tuple[str, str], tuple[Difference, ...]] = {
    ("0.8.2", "metadata"): (
        Difference("empty in 0", "brokers", "0.8.2 may leave out the brokers with a refusal", []),
        Difference("illegal in 0", "brokers", "as with an empty name", []),
        _LONG,
    ),
    ("0.8.2", "produce"): (
        *_REFUSED,
        *_MAGIC,
    ),
    ("0.8.2", "list_offsets"): _COUNT,
    ("0.8.2", "committed_offsets"): (
        Difference("*", "*.partitions[[]1].error_code", "no such partition: has no position", 3, 0),
        Difference("member in 1", "*.error_code", "nobody is a member here, as since 0.9", 0, 25),
    ),
    ("0.9.0", "metadata"): (_LONG,),
    ("0.9.0", "produce"): (*_REFUSED, *_MAGIC),
    ("0.9.0", "list_offsets"): _COUNT,
    ("0.9.0", "committed_offsets"): (
        Difference("member in *", "*.error_code", "another word for who is no member", 22, 25),
    ),
    ("0.10.2", "past_topic_properties"): (_STUMBLES, *_REFUSED_LATER),
    ("0.11.0", "past_topic_properties"): (_STUMBLES, *_REFUSED_LATER),
    ("1.1", "past_topic_properties"): (_STUMBLES, *_REFUSED_LATER),
    ("2.8", "past_topic_properties"): (_REFUSED_LATER[0], _DEFAULTS),
    ("3.9", "past_topic_properties"): (_DEFAULTS,),
    **{
        (release, "registry_offsets"): _IN_ANOTHER
        for release in ("0.8.2", "0.9.0", "0.10.2", "0.11.0", "1.1", "2.8")
    },
    ("3.9", "registry_offsets"): (_NO_ZOOKEEPER,),
    ("0.10.2", "produce"): _REFUSED,
    ("0.10.2", "fetch"): (_FROM_WITHIN,),
    ("0.10.2", "list_offsets"): _COUNT,
    ("0.10.2", "api_versions"): unserved("0.10.2"),
    ("0.10.2", "security"): _MECHANISMS,
    ("0.11.0", "security"): _MECHANISMS,
    **{
        (release, scenario): explained
        for release in ("0.11.0", "1.1")
        for scenario, explained in {
            "produce": (*_REFUSED, _EARLY_STABLE),
            "nested_sets": (_EARLY_STABLE,),
            "fetch": (*_CONVERTED, _EARLY_STABLE),
            "list_offsets": _COUNT,
            "api_versions": unserved(release),
        }.items()
    },
    ("2.8", "produce"): _REFUSED_SINCE_2_4,
    ("2.8", "fetch"): (*_CONVERTED, _CUT),
    ("2.8", "list_offsets"): _COUNT,
    ("2.8", "api_versions"): (*unserved("2.8"), _NO_FEATURES),
    ("3.9", "produce"): _REFUSED_SINCE_2_4,
    ("3.9", "fetch"): (
        *_CONVERTED,
        _CUT,
        Difference("*", "*.aborted_transactions", "null and empty say the same", [], None),
    ),
    ("3.9", "list_offsets"): _COUNT,
    ("3.9", "api_versions"): (
        *unserved("3.9"),
        Difference("*", "*ed_features.kraft.version", "controllers go by it", ours="absent"),
        Difference("*", "finalized_features_epoch", "levels never change", ours=0),
    ),
}
"""By release and scenario."""
