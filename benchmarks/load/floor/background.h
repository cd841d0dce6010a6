/* A thread for what blocks: syncing files that are full, removing files that nobody needs. */
#ifndef BARNABAS_FLOOR_BACKGROUND_H
#define BARNABAS_FLOOR_BACKGROUND_H

#include <stdbool.h>

void start_background(void);
void sync_later(int fd, bool then_close);
/* Renames the files of a segment at once, and removes them a little later; NULL: closes it only. */
void remove_later(const char *stem, int fd);

#endif
