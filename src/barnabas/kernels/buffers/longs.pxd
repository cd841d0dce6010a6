"""Arrays of signed 64-bit numbers for kernels that are compiled; `longs.py` is the same for the others."""

from cpython.array cimport array, resize_smart


cdef inline int add(array numbers, long long number) except -1:
    cdef Py_ssize_t count = len(numbers)
    resize_smart(numbers, count + 1)
    numbers.data.as_longlongs[count] = number
    return 0
