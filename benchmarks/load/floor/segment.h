/* One segment of a log: a file of batches behind one another, a sparse offset index and a time index.
 * The indexes are kept in memory as they are on disk, and written out when the segment is full. */
#ifndef BARNABAS_FLOOR_SEGMENT_H
#define BARNABAS_FLOOR_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATH_ROOM = 512, BATCH_HEADER = 61 };

struct segment {
    int64_t base;
    int fd, readers; /* replies that are not sent to their end */
    size_t size, since_index;
    uint8_t *offsets, *times;
    size_t entries, time_entries, room;
    int64_t latest, latest_offset, indexed_time; /* the greatest timestamp, and that of the index */
    char stem[PATH_ROOM];          /* its path without an ending */
};

struct segment *new_segment(const char *folder, int64_t base);
/* Counts a batch that comes behind the others, and indexes it where 4096 bytes came since. */
void count_batch(struct segment *segment, size_t size, int64_t last, int64_t timestamp);
/* Ends it: its indexes go out, and a thread syncs all three files. */
void seal(struct segment *segment);
/* Position of the batch with an offset: from the index's last entry before it, header by header. */
size_t look_up(const struct segment *segment, int64_t offset);
/* Closes it, and removes its files where `from_disk`. */
void drop_segment(struct segment *segment, bool from_disk);

#endif
