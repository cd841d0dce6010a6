"""What Cython does not declare of the garbage collector's C interface."""


cdef extern from "Python.h":
    void PyObject_GC_UnTrack(void *tracked)
