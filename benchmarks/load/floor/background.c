#include "background.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../measure.h"

enum { ROOM = 512 };
static const double DELETE_DELAY = 0.1; /* file.delete.delay.ms */
static const char *ENDINGS[] = {".log", ".index", ".timeindex"};

struct job {
    struct job *next;
    double due;
    int fd;
    bool syncs, closes;
    char stem[ROOM]; /* empty: no file to remove */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;
static struct job *first, **last = &first;

static void put(struct job job) {
    struct job *kept = malloc(sizeof job);
    if (!kept) stop("no memory for a job");
    *kept = job;
    pthread_mutex_lock(&lock);
    *last = kept;
    last = &kept->next;
    pthread_cond_signal(&wanted);
    pthread_mutex_unlock(&lock);
}

static void path_of(char *path, const char *stem, const char *ending, const char *behind) {
    snprintf(path, ROOM + 32, "%s%s%s", stem, ending, behind);
}

static void run(const struct job *job) {
    sleep_until(job->due);
    if (job->syncs) fsync(job->fd);
    for (size_t i = 0; job->stem[0] && i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        char path[ROOM + 32];
        path_of(path, job->stem, ENDINGS[i], ".deleted");
        unlink(path);
    }
    if (job->closes) close(job->fd);
}

static void *work(void *nothing) {
    (void)nothing;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!first) pthread_cond_wait(&wanted, &lock);
        struct job *job = first;
        first = job->next;
        if (!first) last = &first;
        pthread_mutex_unlock(&lock);
        run(job);
        free(job);
    }
    return NULL;
}

void start_background(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL)) stop("cannot start a thread");
}

void sync_later(int fd, bool then_close) {
    put((struct job){.fd = fd, .syncs = true, .closes = then_close});
}

void remove_later(const char *stem, int fd) {
    struct job job = {.fd = fd, .closes = true, .due = seconds_now() + DELETE_DELAY};
    for (size_t i = 0; stem && i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        char from[ROOM + 32], to[ROOM + 32];
        path_of(from, stem, ENDINGS[i], "");
        path_of(to, stem, ENDINGS[i], ".deleted");
        rename(from, to);
    }
    if (stem) snprintf(job.stem, ROOM, "%s", stem);
    put(job);
}
