import resource

import pytest

from barnabas.runtime import descriptors


@pytest.mark.parametrize(
    ("soft", "hard", "raised"),
    [
        (256, 4096, 4096),
        (4096, 4096, None),
        (256, resource.RLIM_INFINITY, 10_240),
        (20_000, resource.RLIM_INFINITY, None),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None),
    ],
)
def test_the_limit_is_raised_to_what_the_owner_allows(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, raised: int | None
) -> None:
    asked = list[tuple[int, int]]()
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _which, limits: asked.append(limits))
    descriptors.raise_limit()
    assert asked == ([] if raised is None else [(raised, hard)])


@pytest.mark.parametrize(("limit", "reserved"), [(64, 48), (256, 224), (1024, 992)])
def test_the_last_descriptors_are_kept_free(
    monkeypatch: pytest.MonkeyPatch, limit: int, reserved: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (limit, limit))
    assert descriptors.first_reserved() == reserved
