from barnabas.broker.replicas.partition cimport Partition
from barnabas.broker.replicas.append_queue cimport AppendQueue

cdef class ReplicaManager(AppendQueue):
    cdef public object _unpacking, read_each

    cpdef object append_usual(self, Partition partition, object view, list places, object answer)
