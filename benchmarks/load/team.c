#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"

enum { HEARTBEAT = 12, JOIN = 11, SYNC = 14, LEAVE = 13, NOTHING = -1 };
enum { REBALANCE_IN_PROGRESS = 27 };
enum { SESSION_MS = 45000, REBALANCE_MS = 60000 };

static struct message message;

static void ask(struct member *member, int16_t api) {
    finish(&message);
    member->asked = api;
    send_message(&member->link, &message);
}

void open_team(struct team *team, const char *group, long room) {
    *team = (struct team){.whole = -1};
    snprintf(team->group, sizeof team->group, "%s", group);
    team->members = calloc((size_t)room, sizeof *team->members);
    for (long i = 0; i < room; i++) {
        open_link(&team->members[i].link, (int)settings.port);
        team->members[i].asked = NOTHING;
    }
}

static struct message subscription(void) {
    struct message subscribed = {0};
    add16(&subscribed, 0);
    add_count(&subscribed, 1);
    add_text(&subscribed, settings.topic);
    add32(&subscribed, -1);
    return subscribed;
}

void join(struct team *team, struct member *member) {
    struct message subscribed = subscription();
    begin(&message, JOIN, 3, false);
    add_text(&message, team->group);
    add32(&message, SESSION_MS);
    add32(&message, REBALANCE_MS);
    add_text(&message, member->id);
    add_text(&message, "consumer");
    add_count(&message, 1);
    add_text(&message, "range");
    add_bytes(&message, subscribed.bytes, subscribed.size);
    ask(member, JOIN);
    free(subscribed.bytes);
}

static void ask_to_leave(struct team *team, struct member *member) {
    begin(&message, LEAVE, 2, false);
    add_text(&message, team->group);
    add_text(&message, member->id);
    ask(member, LEAVE);
}

static void take_leave(struct member *member) {
    size_t size;
    const uint8_t *body = await_answer(&member->link, &size);
    struct answer answer = answer_of(body, size, false);
    take32(&answer);
    int error = take16(&answer);
    if (error) stop("LeaveGroup: error %d", error);
    member->id[0] = 0;
    member->asked = NOTHING;
}

void leave(struct team *team, struct member *member) {
    ask_to_leave(team, member);
    take_leave(member);
}

void leave_all(struct team *team) {
    for (long i = 0; i < team->size; i++) ask_to_leave(team, &team->members[i]);
    for (long i = 0; i < team->size; i++) take_leave(&team->members[i]);
}

void beat(struct team *team, struct member *member) {
    begin(&message, HEARTBEAT, 4, true);
    add_text(&message, team->group);
    add32(&message, member->generation);
    add_text(&message, member->id);
    add_no_text(&message);
    add_tags(&message);
    ask(member, HEARTBEAT);
}

static void begin_sync(struct team *team, struct member *member) {
    begin(&message, SYNC, 2, false);
    add_text(&message, team->group);
    add32(&message, member->generation);
    add_text(&message, member->id);
}

/* One partition for each, in the order in which the broker names them. */
static void sync_all(struct team *team, struct member *member, struct answer *members, int count) {
    begin_sync(team, member);
    add_count(&message, (size_t)count);
    for (int i = 0; i < count; i++) {
        char id[ID_ROOM];
        struct message part = {0};
        take_text(members, id, sizeof id);
        pass_bytes(members);
        add16(&part, 0);
        add_count(&part, 1);
        add_text(&part, settings.topic);
        add_count(&part, 1);
        add32(&part, i);
        add32(&part, -1);
        add_text(&message, id);
        add_bytes(&message, part.bytes, part.size);
        free(part.bytes);
    }
    ask(member, SYNC);
}

static void take_join(struct team *team, struct member *member, struct answer *answer) {
    char protocol[32], leader[ID_ROOM];
    member->generation = take32(answer);
    take_text(answer, protocol, sizeof protocol);
    take_text(answer, leader, sizeof leader);
    take_text(answer, member->id, sizeof member->id);
    if (strcmp(leader, member->id)) {
        begin_sync(team, member);
        add_count(&message, 0);
        ask(member, SYNC);
        return;
    }
    int count = take32(answer);
    if (count == team->size) team->whole = member->generation;
    sync_all(team, member, answer, count);
}

static void take_answer(struct team *team, struct member *member, const uint8_t *body, size_t size) {
    int asked = member->asked;
    struct answer answer = answer_of(body, size, asked == HEARTBEAT);
    take32(&answer);
    int error = take16(&answer);
    member->asked = NOTHING;
    if (error == REBALANCE_IN_PROGRESS) join(team, member);
    else if (error) stop("API %d: error %d", asked, error);
    else if (asked == JOIN) take_join(team, member, &answer);
    else if (asked == SYNC && member->generation == team->whole) team->settled++;
    else beat(team, member);
}

void settle(struct team *team, long size) {
    struct link *links[size];
    bool readable[size];
    for (long i = 0; i < size; i++) links[i] = &team->members[i].link;
    while (team->settled < size) {
        wait_for_any(links, size, readable, -1);
        for (long i = 0; i < size; i++) {
            const uint8_t *body;
            size_t length;
            if (!readable[i]) continue;
            receive_some(links[i]);
            while ((body = next_answer(links[i], &length)))
                take_answer(team, &team->members[i], body, length);
        }
    }
}

void take_beat(struct member *member) {
    size_t size;
    const uint8_t *body = await_answer(&member->link, &size);
    struct answer answer = answer_of(body, size, true);
    take32(&answer);
    int error = take16(&answer);
    if (error) stop("Heartbeat: error %d", error);
}
