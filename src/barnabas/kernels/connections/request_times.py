# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""RequestTimes: how long the requests of one API took, as percentiles.

A histogram whose buckets are a thirty-second to a sixteenth of their values wide, so that a percentile is
exact to three hundredths. To add a time takes about a hundred instructions.
"""

from array import array

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

_PARTS = cython.declare(cython.int, 16)
"""Buckets from a time to its double."""
_BUCKETS = cython.declare(cython.int, 464)
_LONGEST = cython.declare(cython.longlong, (1 << 32) - 1)
"""Microseconds, 71 minutes: what takes longer has the last bucket."""


@cython.final
@cython.cclass
class RequestTimes:
    """Times in seconds. Percentiles are of those that were added since the last `turn` but one."""

    _newest: cython.longlong[::1]
    _before: cython.longlong[::1]

    def __init__(self) -> None:
        """Nothing was timed yet."""
        self._newest = array("q", bytes(8 * _BUCKETS))
        self._before = array("q", bytes(8 * _BUCKETS))

    def add(self, seconds: cython.double, count: cython.longlong, /) -> None:
        """Count requests that took so long each."""
        micros: cython.longlong = _LONGEST
        if seconds < _LONGEST / 1e6:
            micros = int(seconds * 1e6) if seconds > 0 else 0
        doublings: cython.longlong = 0
        while micros >= 2 * _PARTS:
            micros >>= 1
            doublings += 1
        self._newest[doublings * _PARTS + micros] += count

    def turn(self) -> None:
        """Forget the times before the last turn in the percentiles."""
        self._before = self._newest
        self._newest = array("q", bytes(8 * _BUCKETS))

    def percentiles(self, parts: object, /) -> list[float]:
        """The seconds below which these parts of the newest are, in ascending order; none without times."""
        place: cython.Py_ssize_t
        total: cython.longlong = 0
        for place in range(_BUCKETS):
            total += self._newest[place] + self._before[place]
        if not total:
            return []
        found: list = []
        place = 0
        below: cython.longlong = self._newest[0] + self._before[0]
        for part in parts:
            while below < part * total and place < _BUCKETS - 1:
                place += 1
                below += self._newest[place] + self._before[place]
            found.append(_middle(place))
        return found


@cython.cfunc
def _middle(place: cython.Py_ssize_t) -> cython.double:
    """The seconds in the middle of a bucket."""
    if place < 2 * _PARTS:
        return (place + 0.5) / 1e6
    doublings: cython.Py_ssize_t = place // _PARTS - 1
    width: cython.longlong = cython.cast(cython.longlong, 1) << doublings
    return ((place - doublings * _PARTS) * width + width / 2.0) / 1e6
