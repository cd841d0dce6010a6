cdef class LogState:
    cdef public object _hints, config, cut_off, directory, disk, epochs, failure, flushing
    cdef public object losses, on_counted, on_cut, producers, recent, refusal, segments
    cdef public object topic_id, topic_partition
    cdef public bint _touched
    cdef public list queue
    cdef public long long end_offset, file_end, high_watermark, recovered_watermark
    cdef public long long snapshot_offset, start_offset, written_end

    cpdef object count_to(self, long long end)
