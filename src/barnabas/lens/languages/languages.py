"""The protocols that can be explained, by the names that listeners use."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from barnabas.lens.languages.kafka import KafkaLens
from barnabas.lens.languages.kafka07 import Kafka07Lens
from barnabas.lens.languages.language import Language
from barnabas.lens.languages.proposal import ProposalLens
from barnabas.lens.walks.part import Explained

LANGUAGES: Mapping[str, Callable[[], Language]] = {
    "kafka": KafkaLens,
    "kafka-0.7": Kafka07Lens,
    "proposal": ProposalLens,
}


def language_of(name: str) -> Language:
    """The language with that name."""
    return LANGUAGES[name]()


def with_other_language(found: Explained, spoken: str) -> Explained:
    """A request; if it is wrong here and right in another protocol, with a guess that says so."""
    fatal = next((fault for fault in found.faults if fault.fatal), None)
    if fatal is None or fatal.guess or found.kind != "request":
        return found
    for name in LANGUAGES:
        if name == spoken:
            continue
        other = language_of(name).request(found.data)
        if not other.faults:
            guess = fatal._replace(guess=f"this is {other.name} of the dialect {name}")
            faults = (guess if one is fatal else one for one in found.faults)
            return replace(found, faults=tuple(faults))
    return found
