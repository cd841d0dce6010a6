/* Load on a broker with as little work of our own as can be: `load produce name=value ...`, where the
 * mode may be another of those at the end, prints one line of JSON. Names: port, pid (the broker's, for
 * its CPU), topic, partitions, value (bytes), records (per batch), requests, inflight, acks, bytes
 * (fetch: per answer), wait (ms), batches (fetch: how many there are), copy (fetch: 1 receives into
 * memory, 0 discards), connections, groups, members. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "commits.h"
#include "epochs.h"
#include "measure.h"
#include "rebalances.h"
#include "settings.h"
#include "transactions.h"
#include "wire.h"

struct settings settings = {
    .topic = "load", .partitions = 1, .value = 1024, .records = 63, .requests = 1000, .inflight = 5,
    .acks = 1, .bytes = 1 << 20, .wait = 500, .connections = 1, .groups = 1, .members = 1,
};

static void set(const char *argument) {
    struct { const char *name; long *value; } names[] = {
        {"port", &settings.port}, {"pid", &settings.pid}, {"partitions", &settings.partitions},
        {"value", &settings.value}, {"records", &settings.records}, {"wait", &settings.wait},
        {"requests", &settings.requests}, {"inflight", &settings.inflight}, {"acks", &settings.acks},
        {"bytes", &settings.bytes}, {"batches", &settings.batches}, {"copy", &settings.copy},
        {"connections", &settings.connections}, {"groups", &settings.groups},
        {"members", &settings.members},
    };
    const char *equals = strchr(argument, '=');
    if (!equals) stop("not name=value: %s", argument);
    size_t size = (size_t)(equals - argument);
    if (size == 5 && !strncmp(argument, "topic", 5)) {
        settings.topic = equals + 1;
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == size && !strncmp(argument, names[i].name, size)) {
            *names[i].value = atol(equals + 1);
            return;
        }
    stop("unknown: %s", argument);
}

void report(const char *mode, struct reading from, double bytes, long records) {
    struct reading to = take_reading((int)settings.pid);
    double wall = to.wall - from.wall, broker = to.broker - from.broker, mine = to.mine - from.mine;
    printf("{\"mode\": \"%s\", \"requests\": %ld, \"records\": %ld, \"bytes\": %.0f, "
           "\"seconds\": %.6f, \"broker_cpu\": %.6f, \"client_cpu\": %.6f, "
           "\"broker_cpu_per_gb\": %.4f, \"broker_us_per_request\": %.3f, "
           "\"client_cpu_per_gb\": %.4f, \"mb_per_second\": %.1f",
           mode, settings.requests, records, bytes, wall, broker, mine, broker / bytes * 1e9,
           broker / (double)settings.requests * 1e6, mine / bytes * 1e9, bytes / wall / 1e6);
}

/* Takes whole answers out of `in`; returns how many, leaving a torn one at the front. */
static long take_answers(uint8_t *in, size_t *filled, size_t error_at) {
    size_t at = 0;
    long answers = 0;
    while (*filled - at >= 4) {
        size_t size = (size_t)get32(in + at);
        if (*filled - at < 4 + size) break;
        int error = get16(in + at + 4 + error_at);
        if (error) stop("the broker answered with error %d", error);
        at += 4 + size;
        answers++;
    }
    memmove(in, in + at, *filled - at);
    *filled -= at;
    return answers;
}

static void produce(void) {
    struct batch batch = make_batch((int)settings.records, (int)settings.value);
    struct request request = make_produce(settings.topic, (int)settings.acks, &batch);
    size_t error_at = produce_error_at(settings.topic), filled = 0;
    static uint8_t in[65536];
    int fd = connect_loopback((int)settings.port);
    long sent = 0, answered = 0;
    struct reading from = take_reading((int)settings.pid);
    while (answered < settings.requests) {
        while (sent < settings.requests && sent - answered < settings.inflight) {
            put32(request.bytes + 8, (int32_t)sent);
            put32(request.bytes + request.partition, (int32_t)(sent % settings.partitions));
            send_all(fd, request.bytes, request.size);
            sent++;
        }
        ssize_t n = recv(fd, in + filled, sizeof in - filled, 0);
        if (n <= 0) stop("receive: %s", n ? strerror(errno) : "the broker closed the connection");
        filled += (size_t)n;
        answered += take_answers(in, &filled, error_at);
    }
    report("produce", from, (double)request.size * (double)sent, sent * batch.records);
    printf(", \"request_bytes\": %zu, \"batch_bytes\": %zu}\n", request.size, batch.size);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void ping(void) {
    struct batch batch = make_batch((int)settings.records, (int)settings.value);
    struct request request = make_produce(settings.topic, (int)settings.acks, &batch);
    size_t error_at = produce_error_at(settings.topic);
    double *took = malloc(sizeof(double) * (size_t)settings.requests);
    uint8_t in[4096];
    int fd = connect_loopback((int)settings.port);
    struct reading from = take_reading((int)settings.pid);
    for (long i = 0; i < settings.requests; i++) {
        put32(request.bytes + 8, (int32_t)i);
        put32(request.bytes + request.partition, (int32_t)(i % settings.partitions));
        double begun = seconds_now();
        send_all(fd, request.bytes, request.size);
        receive_all(fd, in, 4);
        int32_t size = get32(in);
        if (size < (int32_t)error_at + 2 || (size_t)size > sizeof in) stop("odd answer: %d", size);
        receive_all(fd, in, (uint64_t)size);
        took[i] = seconds_now() - begun;
        if (get16(in + error_at)) stop("the broker answered with error %d", get16(in + error_at));
    }
    report("ping", from, (double)request.size * (double)settings.requests, settings.requests);
    qsort(took, (size_t)settings.requests, sizeof *took, by_size);
    printf(", \"p50_us\": %.2f, \"p99_us\": %.2f, \"p999_us\": %.2f}\n",
           took[settings.requests / 2] * 1e6, took[settings.requests * 99 / 100] * 1e6,
           took[settings.requests * 999 / 1000] * 1e6);
}

static void fetch(void) {
    /* The log holds equal batches: whole ones in an answer = bytes / size of one. */
    struct batch batch = make_batch((int)settings.records, (int)settings.value);
    struct request request = make_fetch(settings.topic, (int)settings.bytes, (int)settings.wait);
    size_t error_at = fetch_error_at(settings.topic);
    size_t head = error_at + 2 + 8 + 8 + 8 + 4 + 4 + 4; /* up to and with the records' size */
    uint8_t in[1024], *sink = malloc((size_t)settings.bytes + 65536);
    int fd = connect_loopback((int)settings.port);
    double bytes = 0;
    long batches = 0, at = 0;
    struct reading from = take_reading((int)settings.pid);
    for (long i = 0; i < settings.requests; i++) {
        put32(request.bytes + 8, (int32_t)i);
        put64(request.bytes + request.offset, (int64_t)at * batch.records);
        send_all(fd, request.bytes, request.size);
        receive_all(fd, in, 4 + head);
        if (get16(in + 4 + error_at)) stop("error %d", get16(in + 4 + error_at));
        int32_t size = get32(in + 4 + head - 4);
        if (size < (int32_t)batch.size) stop("only %d bytes came at batch %ld", size, at);
        for (long left = get32(in) - (long)head; left > 0;) {
            ssize_t n = settings.copy ? recv(fd, sink, (size_t)left, 0)
                                      : recv(fd, NULL, (size_t)left, MSG_TRUNC | MSG_WAITALL);
            if (n <= 0) stop("receive: %s", n ? strerror(errno) : "the broker closed");
            left -= n;
        }
        long whole = size / (long)batch.size;
        bytes += size;
        batches += whole;
        at += whole;
        /* Back to the start before a short answer at the end of the log. */
        if (at + settings.bytes / (long)batch.size + 1 >= settings.batches) at = 0;
    }
    report("fetch", from, bytes, batches * batch.records);
    printf(", \"batch_bytes\": %zu}\n", batch.size);
}

int main(int count, char **arguments) {
    struct { const char *name; void (*run)(void); } modes[] = {
        {"produce", produce}, {"fetch", fetch}, {"ping", ping}, {"commits", commits},
        {"transactions", transactions}, {"rebalances", rebalances}, {"idle", idle},
        {"idle-consumer", idle_consumer}, {"idle-share", idle_share},
    };
    if (count < 2) stop("load mode name=value ...");
    for (int i = 2; i < count; i++) set(arguments[i]);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(arguments[1], modes[i].name)) {
            modes[i].run();
            return 0;
        }
    stop("unknown: %s", arguments[1]);
}
