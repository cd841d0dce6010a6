#include "segment.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../measure.h"
#include "background.h"
#include "batch.h"
#include "bytes.h"

enum { INDEX_INTERVAL = 4096, OFFSET_ENTRY = 8, TIME_ENTRY = 12 };

struct segment *new_segment(const char *folder, int64_t base) {
    struct segment *segment = calloc(1, sizeof *segment);
    if (!segment) stop("no memory for a segment");
    segment->base = base;
    segment->since_index = INDEX_INTERVAL + 1;
    segment->latest = segment->indexed_time = -1;
    snprintf(segment->stem, PATH_ROOM, "%s/%020" PRId64, folder, base);
    char path[PATH_ROOM + 16];
    snprintf(path, sizeof path, "%s.log", segment->stem);
    segment->fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (segment->fd < 0) stop("cannot make %s", path);
    return segment;
}

/* Room for one more entry in either index. */
static void make_room(struct segment *segment) {
    if (segment->entries < segment->room) return;
    segment->room = 2 * segment->room + 256;
    segment->offsets = realloc(segment->offsets, segment->room * OFFSET_ENTRY);
    segment->times = realloc(segment->times, (segment->room + 1) * TIME_ENTRY);
    if (!segment->offsets || !segment->times) stop("no memory for an index");
}

static void add_offset(struct segment *segment, int64_t last) {
    uint8_t *entry = segment->offsets + segment->entries++ * OFFSET_ENTRY;
    write32(entry, (uint32_t)(last - segment->base));
    write32(entry + 4, (uint32_t)segment->size);
}

/* Times in the index only rise, as in Kafka's. */
static void add_time(struct segment *segment) {
    if (segment->latest <= segment->indexed_time) return;
    uint8_t *entry = segment->times + segment->time_entries++ * TIME_ENTRY;
    write64(entry, (uint64_t)segment->latest);
    write32(entry + 8, (uint32_t)(segment->latest_offset - segment->base));
    segment->indexed_time = segment->latest;
}

static void write_index(const struct segment *segment, const char *ending, const uint8_t *entries,
                        size_t size) {
    char path[PATH_ROOM + 16];
    snprintf(path, sizeof path, "%s%s", segment->stem, ending);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || write(fd, entries, size) != (ssize_t)size) stop("cannot write %s", path);
    sync_later(fd, true);
}

void count_batch(struct segment *segment, size_t size, int64_t last, int64_t timestamp) {
    if (timestamp > segment->latest) {
        segment->latest = timestamp;
        segment->latest_offset = last;
    }
    if (segment->since_index > INDEX_INTERVAL) {
        make_room(segment);
        add_offset(segment, last);
        add_time(segment);
        segment->since_index = 0;
    }
    segment->since_index += size;
    segment->size += size;
}

void seal(struct segment *segment) {
    add_time(segment); /* for which there is room for one entry more */
    write_index(segment, ".index", segment->offsets, segment->entries * OFFSET_ENTRY);
    write_index(segment, ".timeindex", segment->times, segment->time_entries * TIME_ENTRY);
    sync_later(segment->fd, false);
}

size_t look_up(const struct segment *segment, int64_t offset) {
    size_t low = 0, high = segment->entries, position = 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const uint8_t *entry = segment->offsets + middle * OFFSET_ENTRY;
        if ((int64_t)read32(entry) + segment->base < offset) {
            position = read32(entry + 4);
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    uint8_t header[BATCH_HEADER];
    while (pread(segment->fd, header, BATCH_HEADER, (off_t)position) == BATCH_HEADER) {
        if (last_offset(header) >= offset) break;
        position += batch_size(header);
    }
    return position;
}

void drop_segment(struct segment *segment, bool from_disk) {
    free(segment->offsets);
    free(segment->times);
    remove_later(from_disk ? segment->stem : NULL, segment->fd);
    free(segment);
}
