/* Texts from UTF-8 of which most came before: names of groups, members, topics and clients come with
 * every request. A text that is known is neither made nor hashed again, and is found to be the same as
 * what was kept of it without a look at its characters.
 */
#ifndef BARNABAS_TEXTS_H
#define BARNABAS_TEXTS_H

#include <Python.h>
#include <stdint.h>
#include <string.h>

#define KNOWN_BITS 10
#define LONGEST_KNOWN 255

/* Each at the place that its ends and its length say, until another one comes there. */
static PyObject *known_texts[1 << KNOWN_BITS];

static inline PyObject **known_place(const char *data, Py_ssize_t size) {
    uint64_t first = 0, last = 0;
    size_t looked_at = size < 8 ? (size_t)size : 8;
    memcpy(&first, data, looked_at);
    memcpy(&last, data + size - looked_at, looked_at);
    uint64_t mixed = (first ^ (last << 29 | last >> 35) ^ (uint64_t)size) * 0x9E3779B97F4A7C15u;
    return &known_texts[mixed >> (64 - KNOWN_BITS)];
}

/* What PyUnicode_DecodeUTF8 gives. */
static inline PyObject *text_of(const char *data, Py_ssize_t size, const char *errors) {
    if (size > LONGEST_KNOWN) {
        return PyUnicode_DecodeUTF8(data, size, errors);
    }
    PyObject **place = known_place(data, size);
    PyObject *text = *place;
    if (text != NULL && PyUnicode_GET_LENGTH(text) == size
        && memcmp(PyUnicode_DATA(text), data, (size_t)size) == 0) {
        Py_INCREF(text);
        return text;
    }
    text = PyUnicode_DecodeUTF8(data, size, errors);
    if (text != NULL && PyUnicode_IS_COMPACT_ASCII(text)) {
        PyObject *before = *place;
        Py_INCREF(text);
        *place = text;
        Py_XDECREF(before);
    }
    return text;
}

static inline int is_ascii(PyObject *text) {
    return PyUnicode_IS_ASCII(text);
}

#endif
