#include "link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "measure.h"
#include "wire.h"

enum { PATIENCE_MS = 30000 };

void open_link(struct link *link, int port) {
    *link = (struct link){.fd = connect_loopback(port), .room = 4096};
    link->in = malloc(link->room);
}

void send_message(struct link *link, const struct message *message) {
    send_all(link->fd, message->bytes, message->size);
}

void receive_some(struct link *link) {
    memmove(link->in, link->in + link->at, link->filled - link->at);
    link->filled -= link->at;
    link->at = 0;
    if (link->filled == link->room) {
        link->room *= 2;
        link->in = realloc(link->in, link->room);
        if (!link->in) stop("no memory for an answer");
    }
    ssize_t n = recv(link->fd, link->in + link->filled, link->room - link->filled, 0);
    if (n <= 0) stop("receive: %s", n ? strerror(errno) : "the broker closed the connection");
    link->filled += (size_t)n;
}

const uint8_t *next_answer(struct link *link, size_t *size) {
    size_t left = link->filled - link->at;
    if (left < 4) return NULL;
    *size = (size_t)get32(link->in + link->at);
    if (left < 4 + *size) return NULL;
    const uint8_t *body = link->in + link->at + 4;
    link->at += 4 + *size;
    return body;
}

const uint8_t *await_answer(struct link *link, size_t *size) {
    const uint8_t *body;
    while (!(body = next_answer(link, size))) receive_some(link);
    return body;
}

void wait_for_any(struct link **links, long count, bool *readable, int milliseconds) {
    struct pollfd waiting[count];
    for (long i = 0; i < count; i++)
        waiting[i] = (struct pollfd){.fd = links[i]->fd, .events = POLLIN};
    int found = poll(waiting, (nfds_t)count, milliseconds < 0 ? PATIENCE_MS : milliseconds);
    if (found < 0) stop("poll: %s", strerror(errno));
    if (found == 0 && milliseconds < 0) stop("the broker is silent");
    for (long i = 0; i < count; i++) readable[i] = waiting[i].revents != 0;
}
