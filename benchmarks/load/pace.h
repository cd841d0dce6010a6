/* Members at rest: processes of their own, of whom none waits for another's answer. */
#ifndef BARNABAS_LOAD_PACE_H
#define BARNABAS_LOAD_PACE_H

/* `requests` of `members` in turn, each member's one every `wait` ms, evenly spread; an answer is taken
 * when its member's next turn comes. */
void in_turn(long members, long requests, void (*ask)(long member), void (*take)(long member));

#endif
