cdef class LoopTimer:
    cdef public object _loop, callback, when

cdef class PollLoop:
    cdef public object _called, _poller, _signals, _soon, _waker, _woken
    cdef public Py_ssize_t _cancelled, _count
    cdef public bint _closed, _stopping
    cdef public dict _readers, _writers
    cdef public list _timers

    cpdef object run(self)
    cpdef object call_soon(self, object callback)
