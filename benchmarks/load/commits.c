#include "commits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "settings.h"
#include "wire.h"

/* A request, and where in it stands what each has of its own. */
struct commit {
    struct message message;
    size_t group, partition, offset;
};

static void build(struct commit *commit) {
    struct message *m = &commit->message;
    begin(m, 8, 9, true);
    commit->group = m->size + 1;
    add_text(m, "group-00000");
    add32(m, -1);
    add_text(m, "");
    add_no_text(m);
    add_count(m, 1);
    add_text(m, settings.topic);
    add_count(m, 1);
    commit->partition = m->size;
    add32(m, 0);
    commit->offset = m->size;
    add64(m, 0);
    add32(m, -1);
    add_text(m, "");
    add_tags(m);
    add_tags(m);
    add_tags(m);
    finish(m);
}

static void commit_one(struct link *link, struct commit *commit, long number) {
    uint8_t *bytes = commit->message.bytes;
    char group[24];
    snprintf(group, sizeof group, "group-%05ld", number % settings.groups % 100000);
    memcpy(bytes + commit->group, group, 11);
    put32(bytes + commit->partition, (int32_t)(number / settings.groups % settings.partitions));
    put64(bytes + commit->offset, number);
    send_message(link, &commit->message);
}

/* correlation id, tags, throttle, topics, name, partitions, index */
static size_t error_at(void) { return 4 + 1 + 4 + 1 + 1 + strlen(settings.topic) + 1 + 4; }

static long take_commits(struct link *link) {
    const uint8_t *body;
    size_t size;
    long answers = 0;
    receive_some(link);
    for (; (body = next_answer(link, &size)); answers++) {
        if (size < error_at() + 2) stop("an answer is too short");
        int error = get16(body + error_at());
        if (error) stop("the broker answered with error %d", error);
    }
    return answers;
}

void commits(void) {
    struct commit commit = {0};
    long count = settings.connections, sent = 0, answered = 0;
    struct link links[count], *all[count];
    long open[count];
    bool readable[count];
    build(&commit);
    for (long i = 0; i < count; i++) {
        open_link(&links[i], (int)settings.port);
        all[i] = &links[i];
        open[i] = 0;
    }
    struct reading from = take_reading((int)settings.pid);
    while (answered < settings.requests) {
        for (long i = 0; i < count; i++)
            for (; open[i] < settings.inflight && sent < settings.requests; open[i]++, sent++)
                commit_one(&links[i], &commit, sent);
        wait_for_any(all, count, readable, -1);
        for (long i = 0; i < count; i++)
            if (readable[i]) {
                long answers = take_commits(&links[i]);
                open[i] -= answers;
                answered += answers;
            }
    }
    report("commits", from, (double)commit.message.size * (double)sent, sent);
    printf(", \"per_second\": %.1f}\n", (double)sent / (seconds_now() - from.wall));
}
