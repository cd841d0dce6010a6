cdef extern from *:
    """
    #include <sys/socket.h>
    #ifndef MSG_NOSIGNAL
    #define MSG_NOSIGNAL 0  /* macOS: Python ignores the signal as it is */
    #endif
    """
    const int MSG_NOSIGNAL
    Py_ssize_t recv(int fd, void *target, size_t size, int flags)
    Py_ssize_t send_bytes "send" (int fd, const void *data, size_t size, int flags)
