/* Objects whose class has __slots__, without a descriptor's call for each attribute: a member
 * descriptor says once at which place of an object its attribute is.
 */
#ifndef BARNABAS_SLOTS_H
#define BARNABAS_SLOTS_H

#include <Python.h>
#include <structmember.h>

/* The place of an attribute; -1 and TypeError where it is not an ordinary slot. */
static Py_ssize_t slot_place(PyObject *descriptor) {
    if (PyObject_TypeCheck(descriptor, &PyMemberDescr_Type)) {
        PyMemberDef *member = ((PyMemberDescrObject *)descriptor)->d_member;
        if (member->type == T_OBJECT_EX && member->flags == 0) {
            return member->offset;
        }
    }
    PyErr_SetString(PyExc_TypeError, "an attribute that is not a slot");
    return -1;
}

/* Without a call of __init__: all slots are empty. */
static inline PyObject *empty_object(PyObject *type) {
    return ((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, 0);
}

/* Of the class or of one derived from it, whose slots are at the same places. */
static inline int is_a(PyObject *object, PyObject *type) {
    return PyObject_TypeCheck(object, (PyTypeObject *)type);
}

static inline PyObject *slot_get(PyObject *object, Py_ssize_t place) {
    PyObject *value = *(PyObject **)((char *)object + place);
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "a slot is empty");
        return NULL;
    }
    Py_INCREF(value);
    return value;
}

static inline void slot_set(PyObject *object, Py_ssize_t place, PyObject *value) {
    PyObject **slot = (PyObject **)((char *)object + place);
    PyObject *before = *slot;
    Py_INCREF(value);
    *slot = value;
    Py_XDECREF(before);
}

/* The characters of a text that has only ASCII, which are its UTF-8; NULL of any other. */
static inline const char *ascii_of(PyObject *text, Py_ssize_t *size) {
    if (!PyUnicode_IS_COMPACT_ASCII(text)) {
        return NULL;
    }
    *size = PyUnicode_GET_LENGTH(text);
    return (const char *)PyUnicode_DATA(text);
}

#endif
