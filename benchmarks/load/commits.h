/* `load commits`: OffsetCommit 9 of one position each, by clients that are in no group, with `inflight`
 * requests on each of `connections`; in turn of each of `groups`. */
#ifndef BARNABAS_LOAD_COMMITS_H
#define BARNABAS_LOAD_COMMITS_H

void commits(void);

#endif
