#include "epochs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "link.h"
#include "pace.h"
#include "settings.h"

enum { CONSUMER = 68, SHARE = 76, ROOM = 64, MOST_TURNS = 20, REBALANCE_MS = 60000, GOES = -1 };

/* A member reports its partitions only after a change; its last assignment is kept. */
struct member {
    struct link link;
    char group[ROOM], id[ROOM];
    int32_t epoch;
    uint8_t *parts;
    size_t size;
    bool has_news;
};

static struct member *members;
static int16_t kind;
static long news;
static struct message message;

static void add_topic(bool joins) {
    if (!joins) {
        add_no_text(&message);
        return;
    }
    add_count(&message, 1);
    add_text(&message, settings.topic);
}

/* What only a member of a consumer group says. */
static void add_consumer(struct member *member, bool joins) {
    add32(&message, joins ? REBALANCE_MS : -1);
    add_topic(joins);
    add_no_text(&message); /* no regular expression */
    add_no_text(&message); /* no assignor */
    if (joins) add_count(&message, 0);
    else if (member->has_news) add_raw(&message, member->parts, member->size);
    else add_no_text(&message);
}

static void ask(long number) {
    struct member *member = &members[number];
    bool joins = member->epoch == 0;
    begin(&message, kind, 1, true);
    add_text(&message, member->group);
    add_text(&message, member->id);
    add32(&message, member->epoch);
    if (kind == CONSUMER) add_no_text(&message); /* no name of its own for good */
    add_no_text(&message);                       /* no rack */
    if (kind == CONSUMER) add_consumer(member, joins);
    else add_topic(joins);
    add_tags(&message);
    finish(&message);
    send_message(&member->link, &message);
}

static void take(long number) {
    struct member *member = &members[number];
    size_t size;
    char text[512];
    const uint8_t *body = await_answer(&member->link, &size);
    struct answer answer = answer_of(body, size, true);
    take32(&answer);
    int error = take16(&answer);
    take_text(&answer, text, sizeof text);
    if (error) stop("heartbeat: error %d: %s", error, text);
    take_text(&answer, text, sizeof text);
    int32_t epoch = take32(&answer);
    take32(&answer);
    member->has_news = take8(&answer) >= 0;
    if (member->has_news) {
        /* Behind the partitions are the tags of the assignment and of the answer. */
        member->size = (size_t)(answer.end - answer.at) - 2;
        member->parts = realloc(member->parts, member->size);
        if (!member->parts) stop("no memory for an assignment");
        for (size_t i = 0; i < member->size; i++) member->parts[i] = answer.at[i];
    }
    news += member->has_news || epoch != member->epoch;
    member->epoch = epoch;
}

/* Who stays would be looked for, and missed, while others are measured. */
static void leave_all(long all) {
    for (long i = 0; i < all; i++) {
        members[i].epoch = GOES;
        members[i].has_news = false;
        ask(i);
    }
    for (long i = 0; i < all; i++) take(i);
}

static void idle(const char *name) {
    long all = settings.members / settings.groups * settings.groups;
    members = calloc((size_t)all, sizeof *members);
    for (long i = 0; i < all; i++) {
        open_link(&members[i].link, (int)settings.port);
        snprintf(members[i].group, ROOM, "%s-%ld-%ld", name, (long)getpid(), i % settings.groups);
        snprintf(members[i].id, ROOM, "member-%ld", i);
    }
    for (int turns = 0, quiet = 0; quiet < 2; turns++) {
        if (turns == MOST_TURNS) stop("%s: the groups do not settle", name);
        news = 0;
        in_turn(all, all, ask, take);
        quiet = news ? 0 : quiet + 1;
    }
    struct reading from = take_reading((int)settings.pid);
    in_turn(all, settings.requests, ask, take);
    report(name, from, 1, settings.requests);
    leave_all(all);
    printf("}\n");
}

void idle_consumer(void) {
    kind = CONSUMER;
    idle("idle-consumer");
}

void idle_share(void) {
    kind = SHARE;
    idle("idle-share");
}
