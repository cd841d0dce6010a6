from barnabas.log.partition.log_state cimport LogState

cdef class StoredLog(LogState):
    cdef public object end_updater

    cpdef object write_pending(self)
