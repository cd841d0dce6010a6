from barnabas.broker.replicas.partition cimport Partition
from barnabas.broker.replicas.partition_table cimport PartitionTable

cdef class AppendQueue(PartitionTable):
    cdef public object _clock, _own_ms, _purgatory, on_slow
    cdef public dict _dirty, _own, _uncommitted
    cdef public long long writes

    cpdef object _await_write(self, Partition partition, object answer)
    cpdef object write(self)
    cpdef object _write(self, Partition partition)
