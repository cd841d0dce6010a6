from barnabas.broker.connections.repeated_requests cimport RepeatedRequests

cdef class ClientConnection:
    cdef public object _broker, _dialect, _handlers, _on_gone, _place, _replies, last_key
    cdef public object number, peer_host
    cdef public object connection
    cdef public RepeatedRequests _known
    cdef public bint _admitted, _has_turn
    cdef public dict _contexts

    cpdef object take_known(self, object received, Py_ssize_t start, Py_ssize_t end)
