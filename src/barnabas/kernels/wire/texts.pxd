cdef extern from "texts.h":
    object text_of(const char *data, Py_ssize_t size, const char *errors)
    bint is_ascii(object text)
