"""The profiles that a broker can take on: a release of Kafka, or everything at once."""

from barnabas.broker.dispatch import SERVED
from barnabas.broker.profile import Profile
from barnabas.versions import VersionRange

EVERYTHING = Profile("", SERVED, SERVED)


def profile_of(release: str) -> Profile:
    """What this broker shows as one of that release line; empty: all that it can.

    Raises:
        ValueError: there is no such line.
    """
    if not release:
        return EVERYTHING
    # Imported late: a broker starts faster without it.
    from barnabas.config.releases import is_before
    from barnabas.protocol.releases import ADVERTISED_FROM_ZERO, apis_of

    has = apis_of(release)
    both = {key: SERVED[key].intersection(has[key]) for key in has.keys() & SERVED.keys()}
    served = {key: versions for key, versions in both.items() if not versions.is_empty}
    return Profile(
        release,
        served,
        {
            key: VersionRange(0, versions.last)
            if release in ADVERTISED_FROM_ZERO.get(key, ())
            else versions
            for key, versions in served.items()
        },
        {key: versions for key, versions in has.items() if served.get(key) != versions},
        tells_its_range=not is_before(release, "2.4"),
    )
