/* What a load was asked for, and the line of JSON that it ends with. */
#ifndef BARNABAS_LOAD_SETTINGS_H
#define BARNABAS_LOAD_SETTINGS_H

#include "measure.h"

struct settings {
    const char *topic;
    long port, pid, partitions, value, records, requests, inflight, acks, bytes, wait, batches, copy;
    long connections, groups, members;
};

extern struct settings settings;

/* Prints the line but for its end, which is the mode's own. */
void report(const char *mode, struct reading from, double bytes, long records);

#endif
