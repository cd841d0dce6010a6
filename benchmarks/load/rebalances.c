#include "rebalances.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pace.h"
#include "settings.h"
#include "team.h"

static void join_all(struct team *team, long size) {
    team->size = size;
    for (long i = 0; i < size; i++) join(team, &team->members[i]);
    settle(team, size);
}

/* From one member's coming or going until all others have their part. */
static double rebalance(struct team *team, bool comes) {
    long others = settings.members;
    struct member *one = &team->members[others];
    double begun = seconds_now();
    team->size = comes ? others + 1 : others;
    team->settled = 0;
    team->whole = -1;
    if (comes) join(team, one);
    else leave(team, one);
    for (long i = 0; i < others; i++) beat(team, &team->members[i]);
    settle(team, team->size);
    return seconds_now() - begun;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void rebalances(void) {
    struct team team;
    char group[64];
    double *took = calloc((size_t)settings.requests, sizeof *took);
    snprintf(group, sizeof group, "team-%ld", (long)getpid());
    open_team(&team, group, settings.members + 1);
    join_all(&team, settings.members);
    struct reading from = take_reading((int)settings.pid);
    for (long i = 0; i < settings.requests; i++) took[i] = rebalance(&team, i % 2 == 0);
    report("rebalances", from, 1, settings.requests * settings.members);
    leave_all(&team);
    qsort(took, (size_t)settings.requests, sizeof *took, by_size);
    printf(", \"p50_us\": %.2f}\n", took[settings.requests / 2] * 1e6);
}

static struct team *teams;

static struct team *team_of(long member) { return &teams[member % settings.groups]; }

static void beat_one(long member) {
    beat(team_of(member), &team_of(member)->members[member / settings.groups]);
}

static void take_one(long member) { take_beat(&team_of(member)->members[member / settings.groups]); }

void idle(void) {
    long each = settings.members / settings.groups, all = each * settings.groups;
    teams = calloc((size_t)settings.groups, sizeof *teams);
    for (long i = 0; i < settings.groups; i++) {
        char group[64];
        snprintf(group, sizeof group, "idle-%ld-%ld", (long)getpid(), i);
        open_team(&teams[i], group, each);
        join_all(&teams[i], each);
    }
    in_turn(all, 2 * all, beat_one, take_one);
    struct reading from = take_reading((int)settings.pid);
    in_turn(all, settings.requests, beat_one, take_one);
    report("idle", from, 1, settings.requests);
    for (long i = 0; i < settings.groups; i++) leave_all(&teams[i]);
    printf("}\n");
}
