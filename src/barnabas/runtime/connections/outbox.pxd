cdef class Outbox:
    cdef public object _memory, _parts, evict
    cdef public Py_ssize_t _taken, size
    cdef public bint _is_counted, is_plain

    cpdef object add(self, object send)
    cpdef object flush(self, object channel)
    cpdef object _count(self)
    cpdef object _uncount(self)
    cpdef object _gather(self)
    cpdef object _advance(self, Py_ssize_t sent)
    cpdef object clear(self)
