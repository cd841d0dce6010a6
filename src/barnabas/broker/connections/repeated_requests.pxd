cdef class RepeatedRequests:
    cdef public object _broker, _dialect, _meter, _repeats, learning
    cdef public Py_ssize_t _untimed

    cpdef object _joined(self, list responses, list appended, double began)
