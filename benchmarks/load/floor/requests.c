#include "requests.h"

#include <stdlib.h>
#include <string.h>

#include "../measure.h"
#include "batch.h"
#include "bytes.h"

enum { PRODUCE = 0, FETCH = 1, METADATA = 3, API_VERSIONS = 18 };
enum { OUT_OF_RANGE = 1, UNKNOWN_PARTITION = 3, UNSUPPORTED_VERSION = 35 };
enum { NODE = 1, LONGEST_HOST = 16 };

int own_port;

/* A request as it is read; `bad` once something was not there. */
struct reader {
    uint8_t *at, *end;
    bool bad;
};

static uint8_t *take(struct reader *reader, size_t size) {
    static uint8_t nothing[8];
    if (size > (size_t)(reader->end - reader->at)) {
        reader->bad = true;
        return nothing;
    }
    uint8_t *found = reader->at;
    reader->at += size;
    return found;
}

static int16_t take16(struct reader *reader) { return (int16_t)read16(take(reader, 2)); }
static int32_t take32(struct reader *reader) { return (int32_t)read32(take(reader, 4)); }
static int64_t take64(struct reader *reader) { return (int64_t)read64(take(reader, 8)); }

static const char *take_text(struct reader *reader, size_t *size) {
    int16_t length = take16(reader);
    *size = length > 0 && length <= reader->end - reader->at ? (size_t)length : 0;
    if (length > 0 && !*size) reader->bad = true;
    return (const char *)take(reader, *size);
}

/* Room for `size` more bytes of the reply. */
static uint8_t *add(struct reply *reply, size_t size) {
    if (reply->size + size > reply->room) {
        reply->room = 2 * (reply->size + size) + 4096;
        reply->bytes = realloc(reply->bytes, reply->room);
        if (!reply->bytes) stop("no memory for a reply");
    }
    uint8_t *at = reply->bytes + reply->size;
    reply->size += size;
    return at;
}

static void add16(struct reply *reply, int value) { write16(add(reply, 2), (uint16_t)value); }
static void add32(struct reply *reply, int64_t value) { write32(add(reply, 4), (uint32_t)value); }
static void add64(struct reply *reply, int64_t value) { write64(add(reply, 8), (uint64_t)value); }

static void add_text(struct reply *reply, const char *text, size_t size) {
    add16(reply, (int)size);
    memcpy(add(reply, size), text, size);
}

static void api_versions(struct reply *reply, int version) {
    const int served[][2] = {{PRODUCE, 7}, {FETCH, 11}, {METADATA, 1}, {API_VERSIONS, 0}};
    add16(reply, version ? UNSUPPORTED_VERSION : NO_ERROR);
    add32(reply, 4);
    for (int i = 0; i < 4; i++) {
        add16(reply, served[i][0]);
        add16(reply, served[i][1]);
        add16(reply, served[i][1]);
    }
}

static void metadata(struct reply *reply, struct reader *reader) {
    add32(reply, 1);
    add32(reply, NODE);
    add_text(reply, "127.0.0.1", 9);
    add32(reply, own_port);
    add16(reply, -1); /* no rack */
    add32(reply, NODE);
    int32_t topics = take32(reader);
    add32(reply, topics > 0 ? topics : 0);
    for (; topics > 0 && !reader->bad; topics--) {
        size_t size;
        const char *topic = take_text(reader, &size);
        int32_t partitions = count_partitions(topic, size);
        add16(reply, partitions ? NO_ERROR : UNKNOWN_PARTITION);
        add_text(reply, topic, size);
        *add(reply, 1) = 0; /* no internal topic */
        add32(reply, partitions);
        for (int32_t i = 0; i < partitions; i++) {
            add16(reply, NO_ERROR);
            const int32_t rest[] = {i, NODE, 1, NODE, 1, NODE}; /* leader, replicas, in sync */
            for (size_t j = 0; j < sizeof rest / sizeof *rest; j++) add32(reply, rest[j]);
        }
    }
}

static void produce_one(struct reply *reply, struct reader *reader, const char *topic, size_t size) {
    int32_t partition = take32(reader), records = take32(reader);
    uint8_t *batch = take(reader, records > 0 ? (size_t)records : 0);
    struct log *log = find_log(topic, size, partition);
    int error = log ? NO_ERROR : UNKNOWN_PARTITION;
    if (!error) error = reader->bad ? CORRUPT_MESSAGE : check_batch(batch, (size_t)records);
    add32(reply, partition);
    add16(reply, error);
    add64(reply, error ? -1 : append(log, batch, (size_t)records));
    add64(reply, -1); /* times are the producer's */
    add64(reply, log ? log_start(log) : -1);
}

static void produce(struct reply *reply, struct reader *reader) {
    size_t size;
    take_text(reader, &size); /* no transactions here */
    take(reader, 2 + 4);      /* acks, timeout: all is written before it is answered */
    int32_t topics = take32(reader);
    add32(reply, topics);
    for (; topics > 0 && !reader->bad; topics--) {
        const char *topic = take_text(reader, &size);
        add_text(reply, topic, size);
        int32_t partitions = take32(reader);
        add32(reply, partitions);
        for (; partitions > 0 && !reader->bad; partitions--) produce_one(reply, reader, topic, size);
    }
    add32(reply, 0); /* no throttling */
}

/* An empty answer comes at once: nothing is measured that waits. */
static bool fetch(struct reply *reply, struct reader *reader) {
    size_t size;
    take(reader, 4 + 4 + 4 + 4 + 1 + 4 + 4);
    if (take32(reader) != 1) return false;
    const char *topic = take_text(reader, &size);
    if (take32(reader) != 1) return false;
    int32_t partition = take32(reader);
    take32(reader); /* leader epoch */
    int64_t offset = take64(reader);
    take64(reader);
    int32_t most = take32(reader);
    if (reader->bad || most < 0) return false;
    struct log *log = find_log(topic, size, partition);
    bool found = log && read_batches(log, offset, (size_t)most, &reply->region);
    add32(reply, 0); /* no throttling */
    add16(reply, NO_ERROR);
    add32(reply, 0); /* no session */
    add32(reply, 1);
    add_text(reply, topic, size);
    add32(reply, 1);
    add32(reply, partition);
    add16(reply, !log ? UNKNOWN_PARTITION : found ? NO_ERROR : OUT_OF_RANGE);
    add64(reply, log ? log->next_offset : -1);
    add64(reply, log ? log->next_offset : -1);
    add64(reply, log ? log_start(log) : -1);
    add32(reply, 0);  /* nothing aborted */
    add32(reply, -1); /* no better replica */
    add32(reply, (int64_t)reply->region.left);
    return true;
}

bool answer(struct reply *reply, uint8_t *request, size_t size) {
    struct reader reader = {request, request + size, false};
    size_t begin = reply->size, client_size;
    int16_t key = take16(&reader), version = take16(&reader);
    add(reply, 4);
    add32(reply, take32(&reader));
    take_text(&reader, &client_size);
    bool known = true;
    if (key == API_VERSIONS) api_versions(reply, version);
    else if (key == METADATA && version == 1) metadata(reply, &reader);
    else if (key == PRODUCE && version == 7) produce(reply, &reader);
    else if (key == FETCH && version == 11) known = fetch(reply, &reader);
    else known = false;
    write32(reply->bytes + begin, (uint32_t)(reply->size - begin - 4 + reply->region.left));
    return known && !reader.bad;
}
