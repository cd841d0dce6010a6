cdef class Intake:
    cdef public object _holder, _memory, _needed, _ring, _view
    cdef public Py_ssize_t _delivered, _end, _start, held_bytes, max_frame_bytes
    cdef public bytes _stash

    cpdef object open(self)
    cpdef object fill(self, object channel)
    cpdef object skip(self, object take)
    cpdef object settle(self)
    cpdef object put_back(self, object frame)
    cpdef object release(self)
    cpdef object _count(self, Py_ssize_t size)
    cpdef object _drop_ring(self)
    cpdef object _replace_ring(self, Py_ssize_t size)
    cpdef object _make_room(self)
