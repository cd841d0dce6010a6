cdef class PartitionTable:
    cdef public dict _by_id, _by_name
