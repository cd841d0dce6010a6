/* Time and CPU of this process and of the broker, read just before and just after the timed part. */
#ifndef BARNABAS_LOAD_MEASURE_H
#define BARNABAS_LOAD_MEASURE_H

#include <stdint.h>

struct reading {
    double wall;
    double mine;
    double broker;
};

double seconds_now(void);
void sleep_until(double when);
struct reading take_reading(int broker_pid);
int connect_loopback(int port);
void send_all(int fd, const uint8_t *bytes, uint64_t size);
void receive_all(int fd, uint8_t *bytes, uint64_t size);
void stop(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
