"""The wire languages that can be explained, by the names that listeners give them."""

from collections.abc import Callable, Mapping

from barnabas.lens.kafka import KafkaLens
from barnabas.lens.language import Language

LANGUAGES: Mapping[str, Callable[[], Language]] = {"kafka": KafkaLens}


def language_of(name: str) -> Language:
    """The language of that name."""
    return LANGUAGES[name]()
