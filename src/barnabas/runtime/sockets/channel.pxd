cdef class SocketChannel:
    cdef public object _lane, _loop, _peer, _socket
    cdef public bint _is_slow, _reading, _writing
    cdef public int _fd

    cpdef object receive_into(self, object target)
    cpdef object send_one(self, object data)
