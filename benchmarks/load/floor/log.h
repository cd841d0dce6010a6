/* The log of one partition, with the policy of our broker: batches behind one another in segments, a
 * sparse offset index and time index for each, a bound on the size of the whole. The folder of a
 * partition is there before it is asked for; `segment.bytes` and `retention.bytes` stand in its file
 * `policy`, two numbers. A folder that is gone closes its log. */
#ifndef BARNABAS_FLOOR_LOG_H
#define BARNABAS_FLOOR_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "segment.h"

enum { QUEUE = 512, TOPIC_ROOM = 64 };

struct log {
    char topic[TOPIC_ROOM], folder[PATH_ROOM - 32];
    int32_t partition;
    size_t segment_bytes, retention_bytes;
    struct segment **segments;
    size_t count, room;
    int64_t next_offset;
    struct iovec queue[QUEUE]; /* batches that no write has taken yet */
    int queued;
    size_t queued_bytes;
    /* Where the fetch behind the last one begins. */
    struct segment *read_segment;
    size_t read_position;
    int64_t read_offset;
    bool is_dirty; /* something is queued, or was until the queue was full */
    struct log *next_dirty;
};

/* A stretch of a segment that holds the offset asked for. */
struct region {
    struct segment *segment;
    size_t position, left;
    const uint8_t *memory; /* what was read of it already, until the next fetch */
};

void open_logs(const char *folder);
/* NULL where there is no such partition. */
struct log *find_log(const char *topic, size_t topic_size, int32_t partition);
int32_t count_partitions(const char *topic, size_t topic_size);
int64_t log_start(const struct log *log);
/* Stamps offset and epoch into a batch that was checked, and queues it; returns its base offset. */
int64_t append(struct log *log, uint8_t *batch, size_t size);
/* Writes all that is queued, one call for each log. */
void write_dirty(void);
/* Finds and reads whole batches from `offset` on, `most` bytes at the most; false if out of range. */
bool read_batches(struct log *log, int64_t offset, size_t most, struct region *region);
/* Reads on in a region, `most` bytes at the most; bytes read. */
size_t read_more(struct region *region, const uint8_t **bytes);
/* Deletes segments beyond each log's bound, and closes logs whose folder is gone. */
void retain(void);

#endif
