#include "transactions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "settings.h"
#include "wire.h"

enum { CONCURRENT_TRANSACTIONS = 51, AGAIN_MS = 1 };

enum step { PRODUCING, ENDING, OVER };

struct producer {
    struct link link;
    char id[32];
    enum step step;
    struct message produce, end;
    uint8_t *batch;
    size_t batch_size;
    int64_t producer_id;
    int16_t epoch;
    bool again;
    double due;
};

static long begun, ended, refused;

static void build_produce(struct producer *producer, const struct batch *batch, int partition) {
    struct message *m = &producer->produce;
    begin(m, 0, 12, true);
    add_text(m, producer->id);
    add16(m, -1);
    add32(m, 30000);
    add_count(m, 1);
    add_text(m, settings.topic);
    add_count(m, 1);
    add32(m, partition);
    add_bytes(m, batch->bytes, batch->size);
    producer->batch_size = batch->size;
    size_t place = m->size - batch->size;
    add_tags(m);
    add_tags(m);
    add_tags(m);
    finish(m);
    producer->batch = m->bytes + place;
}

static void ask_for_id(struct producer *producer) {
    struct message m = {0};
    begin(&m, 22, 5, true);
    add_text(&m, producer->id);
    add32(&m, 60000);
    add64(&m, -1);
    add16(&m, -1);
    add_tags(&m);
    finish(&m);
    int error = CONCURRENT_TRANSACTIONS;
    /* What a run before this one left is being ended. */
    for (int turn = 0; error == CONCURRENT_TRANSACTIONS && turn < 1000; turn++) {
        size_t size;
        if (turn) sleep_until(seconds_now() + AGAIN_MS / 1000.0);
        send_message(&producer->link, &m);
        const uint8_t *body = await_answer(&producer->link, &size);
        struct answer answer = answer_of(body, size, true);
        take32(&answer);
        error = take16(&answer);
        producer->producer_id = take64(&answer);
        producer->epoch = take16(&answer);
    }
    if (error) stop("InitProducerId: error %d", error);
    free(m.bytes);
}

static void begin_transaction(struct producer *producer) {
    if (begun == settings.requests) {
        producer->step = OVER;
        return;
    }
    begun++;
    producer->step = PRODUCING;
    stamp_transactional(producer->batch, producer->batch_size, producer->producer_id,
                        producer->epoch);
    send_message(&producer->link, &producer->produce);
}

static void end_transaction(struct producer *producer) {
    struct message *m = &producer->end;
    producer->step = ENDING;
    begin(m, 26, 5, true);
    add_text(m, producer->id);
    add64(m, producer->producer_id);
    add16(m, producer->epoch);
    add8(m, 1);
    add_tags(m);
    finish(m);
    send_message(&producer->link, m);
}

/* Whether the step is done; if it is to be asked for again that is noted. */
static bool passed(struct producer *producer, int error) {
    if (!error) return true;
    if (error != CONCURRENT_TRANSACTIONS) stop("step %d: error %d", producer->step, error);
    refused++;
    producer->again = true;
    producer->due = seconds_now() + AGAIN_MS / 1000.0;
    return false;
}

static void take_step(struct producer *producer, const uint8_t *body, size_t size) {
    struct answer answer = answer_of(body, size, true);
    if (producer->step == PRODUCING) {
        char topic[256];
        answer.at++;
        take_text(&answer, topic, sizeof topic);
        answer.at++;
        take32(&answer);
        if (passed(producer, take16(&answer))) end_transaction(producer);
        return;
    }
    take32(&answer);
    if (!passed(producer, take16(&answer))) return;
    producer->producer_id = take64(&answer);
    producer->epoch = take16(&answer);
    ended++;
    begin_transaction(producer);
}

static void ask_again(struct producer *producer) {
    producer->again = false;
    send_message(&producer->link,
                 producer->step == PRODUCING ? &producer->produce : &producer->end);
}

static bool ask_those_due_again(struct producer *producers) {
    bool waiting = false;
    for (long i = 0; i < settings.connections; i++)
        if (producers[i].again) {
            if (producers[i].due <= seconds_now()) ask_again(&producers[i]);
            else waiting = true;
        }
    return waiting;
}

void transactions(void) {
    struct batch batch = make_batch((int)settings.records, (int)settings.value);
    struct producer *producers = calloc((size_t)settings.connections, sizeof *producers);
    struct link *links[settings.connections];
    bool readable[settings.connections];
    for (long i = 0; i < settings.connections; i++) {
        snprintf(producers[i].id, sizeof producers[i].id, "load-%ld", i);
        links[i] = &producers[i].link;
        open_link(links[i], (int)settings.port);
        build_produce(&producers[i], &batch, (int)(i % settings.partitions));
        ask_for_id(&producers[i]);
    }
    struct reading from = take_reading((int)settings.pid);
    for (long i = 0; i < settings.connections; i++) begin_transaction(&producers[i]);
    while (ended < settings.requests) {
        bool waiting = ask_those_due_again(producers);
        wait_for_any(links, settings.connections, readable, waiting ? AGAIN_MS : -1);
        for (long i = 0; i < settings.connections; i++) {
            const uint8_t *body;
            size_t size;
            if (!readable[i]) continue;
            receive_some(links[i]);
            while ((body = next_answer(links[i], &size)))
                take_step(&producers[i], body, size);
        }
    }
    double seconds = seconds_now() - from.wall;
    report("transactions", from, (double)batch.size * (double)ended, ended * batch.records);
    printf(", \"per_second\": %.1f, \"asked_again\": %ld}\n", (double)ended / seconds, refused);
}
