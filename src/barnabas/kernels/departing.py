# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Replies that leave together, each on a connection of its own: no Python between the sends.

What is around a `send` takes 0.1 us then in place of 0.5 us. It is only for what is simple; the rest
is told, and left to Python.
"""

import cython
from cython.cimports.barnabas.kernels.slots import is_a, slot_get, slot_place, slot_set
from cython.cimports.barnabas.kernels.socket_calls import MSG_NOSIGNAL, send_bytes
from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_GET_SIZE

# Bytes. Other threads wait until all of these are sent: who has more sends it by itself.
_SMALL = cython.declare(cython.Py_ssize_t, 65536)


@cython.final
@cython.cclass
class Sender:
    """Sends what is in outboxes of one class.

    Its slots are `fd`, the descriptor of a non-blocking socket or -1; `only`, None or all that there
    is, in bytes; and `size`.
    """

    outbox: type
    fd: cython.Py_ssize_t
    only: cython.Py_ssize_t
    size: cython.Py_ssize_t

    def __init__(self, outbox: type) -> None:
        self.outbox = outbox
        self.fd = slot_place(outbox.fd)
        self.only = slot_place(outbox.only)
        self.size = slot_place(outbox.size)

    @cython.cfunc
    @cython.exceptval(-1)
    def _empties(self, one: object) -> cython.int:
        """Whether all of it is out."""
        if not is_a(one, self.outbox):
            return 0
        fd: cython.int = slot_get(one, self.fd)
        only: object = slot_get(one, self.only)
        if fd < 0 or type(only) is not bytes or PyBytes_GET_SIZE(only) > _SMALL:
            return 0
        size: cython.Py_ssize_t = PyBytes_GET_SIZE(only)
        sent: cython.Py_ssize_t = send_bytes(fd, PyBytes_AS_STRING(only), size, MSG_NOSIGNAL)
        if sent == size:
            slot_set(one, self.only, None)
            slot_set(one, self.size, 0)
            return 1
        if sent > 0:
            slot_set(one, self.only, only[sent:])
            slot_set(one, self.size, size - sent)
        return 0

    def send(self, leaving: list, /) -> list:
        """Send for all of them, in their order; gives those for which something is left to be done.

        That is any that has something else to send, had no room for all of it, or whose stream broke:
        who sends again finds that too, though as EPIPE, whatever it was.
        """
        return [one for one in leaving if not self._empties(one)]
