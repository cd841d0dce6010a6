#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../measure.h"
#include "batch.h"
#include "bytes.h"

enum { LOGS = 256, HOT = (2 << 20) + (64 << 10) };

static char root[PATH_ROOM - 96 - TOPIC_ROOM];
static struct log *logs[LOGS], *dirty, *last_found;
static size_t log_count;
static uint8_t hot[HOT]; /* what is read of a segment, used again for every fetch */

void open_logs(const char *folder) { snprintf(root, sizeof root, "%s", folder); }

static void add_segment(struct log *log) {
    if (log->count == log->room) {
        log->room = 2 * log->room + 4;
        log->segments = realloc(log->segments, log->room * sizeof *log->segments);
        if (!log->segments) stop("no memory for a segment");
    }
    log->segments[log->count++] = new_segment(log->folder, log->next_offset);
}

static struct segment *active(const struct log *log) { return log->segments[log->count - 1]; }

static void partition_folder(char *path, size_t room, const char *topic, int size, int32_t number) {
    snprintf(path, room, "%s/%.*s-%d", root, size, topic, number);
}

static struct log *open_log(const char *topic, size_t size, int32_t partition) {
    struct log *log = calloc(1, sizeof *log);
    char path[PATH_ROOM];
    if (!log) stop("no memory for a log");
    partition_folder(log->folder, sizeof log->folder, topic, (int)size, partition);
    snprintf(path, sizeof path, "%s/policy", log->folder);
    FILE *policy = fopen(path, "r");
    if (!policy || fscanf(policy, "%zu %zu", &log->segment_bytes, &log->retention_bytes) != 2) {
        if (policy) stop("%s: two numbers are expected", path);
        free(log);
        return NULL;
    }
    fclose(policy);
    memcpy(log->topic, topic, size);
    log->partition = partition;
    add_segment(log);
    if (log_count == LOGS) stop("more than %d partitions", LOGS);
    return logs[log_count++] = log;
}

static bool is_named(const struct log *log, const char *topic, size_t size, int32_t partition) {
    return log->partition == partition && !memcmp(log->topic, topic, size) && !log->topic[size];
}

struct log *find_log(const char *topic, size_t size, int32_t partition) {
    if (size >= TOPIC_ROOM) return NULL;
    if (last_found && is_named(last_found, topic, size, partition)) return last_found;
    for (size_t i = 0; i < log_count; i++)
        if (is_named(logs[i], topic, size, partition)) return last_found = logs[i];
    struct log *opened = open_log(topic, size, partition);
    if (opened) last_found = opened;
    return opened;
}

int32_t count_partitions(const char *topic, size_t size) {
    char path[PATH_ROOM];
    for (int32_t count = 0;; count++) {
        partition_folder(path, sizeof path, topic, (int)size, count);
        if (access(path, F_OK)) return count;
    }
}

int64_t log_start(const struct log *log) { return log->segments[0]->base; }

static void write_queue(struct log *log) {
    struct segment *segment = active(log);
    size_t position = segment->size - log->queued_bytes;
    if (!log->queued) return;
    ssize_t n = pwritev(segment->fd, log->queue, log->queued, (off_t)position);
    if (n != (ssize_t)log->queued_bytes) stop("a write to %s.log is short", segment->stem);
    log->queued = 0;
    log->queued_bytes = 0;
}

static void roll(struct log *log) {
    write_queue(log);
    seal(active(log));
    add_segment(log);
}

int64_t append(struct log *log, uint8_t *batch, size_t size) {
    if (active(log)->size && active(log)->size + size > log->segment_bytes) roll(log);
    if (log->queued == QUEUE) write_queue(log);
    int64_t base = log->next_offset, last = base + (int32_t)read32(batch + LAST_DELTA);
    write64(batch + BASE_OFFSET, (uint64_t)base);
    write32(batch + LEADER_EPOCH, 0);
    count_batch(active(log), size, last, (int64_t)read64(batch + MAX_TIMESTAMP));
    if (!log->is_dirty) {
        log->is_dirty = true;
        log->next_dirty = dirty;
        dirty = log;
    }
    log->queue[log->queued++] = (struct iovec){batch, size};
    log->queued_bytes += size;
    log->next_offset = last + 1;
    return base;
}

void write_dirty(void) {
    for (; dirty; dirty = dirty->next_dirty) {
        dirty->is_dirty = false;
        write_queue(dirty);
    }
}

static bool seek(struct log *log, int64_t offset) {
    if (offset == log->read_offset && log->read_segment) return true;
    if (offset < log_start(log) || offset > log->next_offset) return false;
    size_t i = log->count - 1;
    while (i && log->segments[i]->base > offset) i--;
    log->read_segment = log->segments[i];
    log->read_position = look_up(log->read_segment, offset);
    log->read_offset = offset;
    return true;
}

/* How many of `size` bytes are whole batches; `next` is set to the offset behind the last of them. */
static size_t whole_batches(const uint8_t *bytes, size_t size, int64_t *next) {
    size_t at = 0;
    while (size - at >= BATCH_HEADER && batch_size(bytes + at) <= size - at) {
        *next = last_offset(bytes + at) + 1;
        at += batch_size(bytes + at);
    }
    return at;
}

bool read_batches(struct log *log, int64_t offset, size_t most, struct region *region) {
    if (!seek(log, offset)) return false;
    struct segment *segment = log->read_segment;
    size_t left = segment->size - log->read_position;
    if (most > HOT) most = HOT;
    if (most > left) most = left;
    ssize_t n = most ? pread(segment->fd, hot, most, (off_t)log->read_position) : 0;
    size_t whole = n > 0 ? whole_batches(hot, (size_t)n, &log->read_offset) : 0;
    if (n > BATCH_HEADER && !whole && batch_size(hot) <= (left < HOT ? left : HOT)) /* the first counts */
        return read_batches(log, offset, batch_size(hot), region);
    *region = (struct region){segment, log->read_position, whole, hot};
    log->read_position += whole;
    segment->readers++;
    if (log->read_position == segment->size && segment != active(log)) log->read_segment = NULL;
    return true;
}

size_t read_more(struct region *region, const uint8_t **bytes) {
    if (region->memory) {
        *bytes = region->memory;
        return region->left;
    }
    size_t most = region->left < HOT ? region->left : HOT;
    ssize_t n = pread(region->segment->fd, hot, most, (off_t)region->position);
    if (n <= 0) stop("cannot read %s.log", region->segment->stem);
    *bytes = hot;
    return (size_t)n;
}

static void drop_first(struct log *log, bool from_disk) {
    struct segment *oldest = log->segments[0];
    if (log->read_segment == oldest) log->read_segment = NULL;
    log->count--;
    memmove(log->segments, log->segments + 1, log->count * sizeof *log->segments);
    drop_segment(oldest, from_disk);
}

static void close_log(size_t number) {
    struct log *log = logs[number];
    while (log->count) drop_first(log, false);
    if (last_found == log) last_found = NULL;
    logs[number] = logs[--log_count];
    free(log->segments);
    free(log);
}

void retain(void) {
    for (size_t i = log_count; i-- > 0;) {
        struct log *log = logs[i];
        if (access(log->folder, F_OK)) {
            close_log(i);
            continue;
        }
        size_t total = 0;
        for (size_t j = 0; j < log->count; j++) total += log->segments[j]->size;
        while (log->count > 1 && !log->segments[0]->readers &&
               total - log->segments[0]->size >= log->retention_bytes) {
            total -= log->segments[0]->size;
            drop_first(log, true);
        }
    }
}
