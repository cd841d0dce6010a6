cdef extern from "slots.h":
    Py_ssize_t slot_place(object descriptor) except -1
    object empty_object(object type)
    bint is_a(object object, object type)
    object slot_get(object object, Py_ssize_t place)
    void slot_set(object object, Py_ssize_t place, object value)
    const char *ascii_of(object text, Py_ssize_t *size)
