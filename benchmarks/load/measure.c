#define _GNU_SOURCE
#include "measure.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

void stop(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static double seconds_of(clockid_t clock) {
    struct timespec t;
    if (clock_gettime(clock, &t)) stop("clock: %s", strerror(errno));
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double seconds_now(void) { return seconds_of(CLOCK_MONOTONIC); }

void sleep_until(double when) {
    struct timespec until = {(time_t)when, (long)((when - (double)(time_t)when) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
}

struct reading take_reading(int broker_pid) {
    struct reading reading = {seconds_now(), seconds_of(CLOCK_PROCESS_CPUTIME_ID), 0};
    if (broker_pid > 0) {
        clockid_t clock;
        int error = clock_getcpuclockid(broker_pid, &clock);
        if (error) stop("CPU clock of process %d: %s", broker_pid, strerror(error));
        reading.broker = seconds_of(clock);
    }
    return reading;
}

int connect_loopback(int port) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address))
        stop("connect to port %d: %s", port, strerror(errno));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    /* A broker that stops answering ends the run instead of hanging it. */
    struct timeval limit = {30, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    return fd;
}

void send_all(int fd, const uint8_t *bytes, uint64_t size) {
    while (size > 0) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
        if (n < 0) stop("send: %s", strerror(errno));
        bytes += n;
        size -= (uint64_t)n;
    }
}

void receive_all(int fd, uint8_t *bytes, uint64_t size) {
    while (size > 0) {
        ssize_t n = recv(fd, bytes, size, MSG_WAITALL);
        if (n <= 0) stop("receive: %s", n ? strerror(errno) : "the broker closed the connection");
        bytes += n;
        size -= (uint64_t)n;
    }
}
