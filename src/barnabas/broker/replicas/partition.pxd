from barnabas.log.partition.stored_log cimport StoredLog

cdef class Partition:
    cdef public object index, is_internal, leader_epoch, role, uncommitted
    cdef public Py_ssize_t queued_bytes
    cdef public StoredLog log
    cdef public list unanswered, write_callbacks
    cdef public long long written_bytes

    cpdef object append_usual(self, object view, list places, long long now_ms)
    cpdef object write(self)
