from barnabas.runtime.connections.intake cimport Intake
from barnabas.runtime.connections.outbox cimport Outbox

cdef class Connection:
    cdef public object _channel, _handler, _turn, broken, client_id, observer
    cdef public Intake _intake
    cdef public Outbox _outbox
    cdef public Py_ssize_t idle_ticks
    cdef public bint _ended, _finishing, _late, _listening, _owing, _paused, _stalled
    cdef public bint _writing, is_closed

    cpdef object send(self, object send)
    cpdef object _on_readable(self)
    cpdef object _leave(self)
    cpdef bint _answers_all(self) except -1
    cpdef object _depart(self)
    cpdef object _stall(self)
    cpdef bint _must_wait(self) except -1
    cpdef object _flush(self)
    cpdef object pause(self)
