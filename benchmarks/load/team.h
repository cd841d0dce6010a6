/* Members of one classic group, each on a connection, and their way to a generation that has all of them. */
#ifndef BARNABAS_LOAD_TEAM_H
#define BARNABAS_LOAD_TEAM_H

#include "link.h"

enum { ID_ROOM = 160 };

struct member {
    struct link link;
    char id[ID_ROOM];
    int16_t asked; /* the API that it waits for; -1: none */
    int32_t generation;
};

struct team {
    char group[64];
    struct member *members;
    long size;
    long settled;   /* how many have their part in a generation of all */
    int32_t whole;  /* the generation that has all; -1: not there yet */
};

/* Connects `room` members, of whom none has joined. */
void open_team(struct team *team, const char *group, long room);
void join(struct team *team, struct member *member);
void leave(struct team *team, struct member *member);
/* All of `size`: who stays would be missed, a session later, while others are measured. */
void leave_all(struct team *team);
void beat(struct team *team, struct member *member);
/* Goes on until all of `size` members have their part in one generation. */
void settle(struct team *team, long size);
/* Takes the answer to one heartbeat of a group at rest. */
void take_beat(struct member *member);

#endif
