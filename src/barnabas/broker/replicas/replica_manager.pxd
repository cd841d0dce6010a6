from barnabas.broker.replicas.partition cimport Partition
from barnabas.broker.replicas.partition_table cimport PartitionTable

cdef class ReplicaManager(PartitionTable):
    cdef public object _clock, _own_ms, _purgatory, _unpacking, on_slow, read_each
    cdef public dict _dirty, _own, _uncommitted
    cdef public long long writes

    cpdef object append_usual(self, Partition partition, object view, list places, object answer)
    cpdef object _await_write(self, Partition partition, object answer)
    cpdef object write(self)
    cpdef object _write(self, Partition partition)
