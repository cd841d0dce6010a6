"""A frozen set of properties: one typed attribute per row, loaded from names and text.

An attribute is the property's name with underscores for dots. This module reads no files and knows
no property by name.
"""

import logging
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Never, Self, TypedDict, Unpack, cast, dataclass_transform

from barnabas.config.definition import Setting
from barnabas.config.ignored_names import LOUD, refusal, why_ignored
from barnabas.config.releases import RELEASE_07
from barnabas.errors import ConfigError

log = logging.getLogger(__name__)

_MEMBER = "cluster.member"
_INERT = "property %s has no effect here: %s"
_NEAR = 0.75
"""The difflib ratio from which an unknown name counts as a misspelling of a known one.

Names that share one word and little else, such as group.protocol and security.protocol, have 0.6.
"""


class Loading(TypedDict, total=False):
    """The release line of a configuration, and the names whose values may be valid in any release.

    `strict`: an unknown name is an error, as where somebody has just typed it.
    """

    release: str
    kept: Collection[str]
    strict: bool


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Configuration:
    """The values of all properties of one kind, checked and frozen.

    `given` holds the canonical names of the properties that were set; the others have their
    defaults.
    """

    known_elsewhere: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Names that Kafka knows and that have no effect here, each with the reason."""

    inert_level: ClassVar[int] = logging.WARNING
    """The log level that reports a property that was set and has no effect."""

    __settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({})
    __names: ClassVar[Mapping[str, Setting]] = MappingProxyType({})

    def __init_subclass__(cls) -> None:
        rows = [
            row
            for ancestor in reversed(cls.__mro__)
            for row in vars(ancestor).values()
            if isinstance(row, Setting)
        ]
        cls.__settings = MappingProxyType({row.name: row for row in rows})
        cls.__names = {name: row for row in rows for name in (row.name, row.attribute, *row.also)}

    def __init__(self, release: str = "", kept: Collection[str] = (), /, **values: object) -> None:
        cls = type(self)
        state = self.__dict__
        state["_release"] = release
        seen: set[str] = set()
        for row in cls.settings().values():
            state[row.attribute] = self.default_of(row)
        for name, value in values.items():
            found = cls.find(name)
            if found is None:
                raise TypeError(f"{cls.__name__} has no property {name}")
            parsed = found.parse(value, release, kept=name in kept)
            if found.name in seen and state[found.attribute] != parsed:
                raise ConfigError(f"{found.name} is set twice, the second time as {name}={value}")
            state[found.attribute] = parsed
            seen.add(found.name)
        state["_given"] = frozenset(seen)
        state["_elsewhere"] = MappingProxyType({})

    @classmethod
    def settings(cls) -> Mapping[str, Setting]:
        """All rows by property name, in the order of declaration."""
        return cls.__settings

    @classmethod
    def find(cls, name: str) -> Setting | None:
        """Find a row by any of its names, with dots or underscores."""
        return cls.__names.get(name)

    @classmethod
    def load(cls, given: Mapping[str, object], **how: Unpack[Loading]) -> Self:
        """Load properties by name. A property that is not set has the default of that release line.

        Without a release, each row's own default applies. An unknown name is logged as a warning
        with the nearest known name, or refused if `strict`. Values named in `kept` may be valid in any
        release.

        Raises:
            ConfigError: a value is out of range, a property is set twice to different values, a property
                would change what the records contain, or, if `strict`, a name is unknown.
        """
        release = how.get("release", "")
        if release == RELEASE_07:
            from barnabas.config.names07 import todays_names

            given = todays_names(given)
        known: dict[str, object] = {}
        elsewhere: dict[str, str] = {}
        is_member = str(given.get(_MEMBER, "")).lower() == "true"
        for name, value in given.items():
            row = cls.find(name)
            if row is not None:
                known[name] = value
                # A broker that is alone has one replica of everything, which is in sync.
                usual = (row.default, 1) if _MEMBER in row.inert else (row.default,)
                obeyed = not row.inert or (is_member and _MEMBER in row.inert)
                if not obeyed and row.parse(value) not in usual:
                    log.log(cls.inert_level, _INERT, row.name, row.inert)
            elif why := refusal(cls.known_elsewhere, name.replace("_", "."), value):
                raise ConfigError(f"{name}={value!r} is not supported: {why}")
            elif why := why_ignored(cls.known_elsewhere, name.replace("_", ".")):
                log.log(logging.WARNING if why in LOUD else logging.INFO, _INERT, name, why)
                elsewhere[name.replace("_", ".")] = str(value)
            elif how.get("strict", False):
                raise ConfigError(f"unknown property {name}{cls.nearest(name)}")
            else:
                log.warning("unknown property %s%s", name, cls.nearest(name))
        loaded = cls.of_known(known, **how)
        loaded.__dict__["_elsewhere"] = MappingProxyType(elsewhere)
        return loaded

    def over(self, other: Self) -> Self:
        """The properties set here, over those set in `there`; the release is that of `there`."""
        mine = {name: self.value(name) for name in self.given}
        theirs = {name: other.value(name) for name in other.given}
        return type(self)(other.release, **{**theirs, **mine})

    @classmethod
    def of_known(cls, given: Mapping[str, object], **how: Unpack[Loading]) -> Self:
        """Like `load`, but for known names only, and without log lines about properties without effect.

        Raises:
            TypeError: a name is unknown.
            ConfigError: a value is out of range, or a property is set twice to different values.
        """
        return cls(how.get("release", ""), how.get("kept", ()), **given)

    @property
    def release(self) -> str:
        """The release line that the defaults come from; empty for this broker's own."""
        return cast("str", self.__dict__["_release"])

    def default_of(self, row: Setting) -> object:
        """The value of a property that is not set; it depends on the release."""
        if not self.release:
            return row.default
        # Imported late, so that a broker starts faster.
        from barnabas.config.property_history import default_in

        return default_in(self.release, row)

    @property
    def given(self) -> frozenset[str]:
        """The names of the properties that were set."""
        return cast("frozenset[str]", self.__dict__["_given"])

    @property
    def elsewhere(self) -> Mapping[str, str]:
        """The properties that were set and have no effect, as text."""
        return cast("Mapping[str, str]", self.__dict__["_elsewhere"])

    def value(self, name: str) -> object:
        """The value of the property called `name`.

        Raises:
            KeyError: there is no such property.
        """
        row = type(self).find(name)
        if row is None:
            raise KeyError(name)
        return cast("object", getattr(self, row.attribute))

    def items(self) -> Iterator[tuple[Setting, object]]:
        """Each row with its value."""
        for row in type(self).settings().values():
            yield row, getattr(self, row.attribute)

    @classmethod
    def knows(cls, name: str) -> bool:
        """Whether Kafka or this implementation has a property of that name, with dots or underscores."""
        elsewhere = why_ignored(cls.known_elsewhere, name.replace("_", "."))
        return cls.find(name) is not None or elsewhere is not None

    @classmethod
    def nearest(cls, name: str) -> str:
        """The known name nearest to `name`, as the end of a message; empty if there is none."""
        import difflib

        inert = [other for other in cls.known_elsewhere if not other.endswith("*")]
        known = [*cls.__settings, *inert]
        near = difflib.get_close_matches(name.replace("_", "."), known, n=1, cutoff=_NEAR)
        if not near:
            return ""
        nothing = ", which has no effect here" if near[0] in inert else ""
        return f"; did you mean {near[0]}{nothing}?"

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError(f"{type(self).__name__} is frozen: create a new one to change {name}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, row.attribute) for row in type(self).settings().values()))

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{row.attribute}={value!r}" for row, value in self.items() if row.name in self.given
        )
        return f"{type(self).__name__}({shown})"
