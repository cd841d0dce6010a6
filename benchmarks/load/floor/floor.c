/* The floor: what a broker costs that does what the system asks for and nothing else. One thread serves
 * Produce and Fetch with the file policy of our broker; a second one syncs and removes files. Every
 * batch is checked (CRC, counts, each record), gets its offset and epoch, and is written before it is
 * answered: one write and one send for all that one receive has brought. There are no groups, no
 * transactions, no other versions, no waiting fetches, and a log is not opened again after a restart.
 *
 *     floor PORT FOLDER
 *
 * A topic is there when its folders are (see log.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../measure.h"
#include "background.h"
#include "bytes.h"
#include "crc.h"
#include "log.h"
#include "requests.h"

enum { EVENTS = 64, BUFFER = 1 << 20, LARGE = 256 << 10, LARGEST = 64 << 20, RETENTION_MS = 300 };

struct connection {
    int fd;
    uint8_t *in;
    size_t room, at, filled;
    struct reply reply;
    size_t sent; /* of the reply's bytes */
    bool waits;  /* for the peer to take what there is */
};

static int poller;

static void watch(struct connection *connection, int how, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    if (epoll_ctl(poller, how, connection->fd, &event)) stop("epoll: %s", strerror(errno));
}

static void close_connection(struct connection *connection) {
    if (connection->reply.region.segment) connection->reply.region.segment->readers--;
    close(connection->fd);
    free(connection->in);
    free(connection->reply.bytes);
    free(connection);
}

static void forget_region(struct reply *reply) {
    if (reply->region.segment) reply->region.segment->readers--;
    reply->region = (struct region){0};
}

/* Writes what is queued and sends replies; false if the peer is gone. What it does not take waits. */
static bool send_reply(struct connection *connection) {
    struct reply *reply = &connection->reply;
    struct region *region = &reply->region;
    write_dirty();
    while (connection->sent < reply->size || region->left) {
        struct iovec parts[2] = {{reply->bytes + connection->sent, reply->size - connection->sent}};
        const uint8_t *bytes = NULL;
        if (region->left) parts[1].iov_len = read_more(region, &bytes);
        parts[1].iov_base = (void *)bytes;
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = region->left ? 2 : 1};
        ssize_t n = sendmsg(connection->fd, &message, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN) return false;
        region->memory = NULL;
        if (n < 0) {
            if (!connection->waits) watch(connection, EPOLL_CTL_MOD, EPOLLOUT);
            connection->waits = true;
            return true;
        }
        size_t head = (size_t)n < parts[0].iov_len ? (size_t)n : parts[0].iov_len;
        connection->sent += head;
        region->position += (size_t)n - head;
        region->left -= (size_t)n - head;
    }
    forget_region(reply);
    reply->size = connection->sent = 0;
    if (connection->waits) watch(connection, EPOLL_CTL_MOD, EPOLLIN);
    connection->waits = false;
    return true;
}

/* Answers all whole requests that are there, until the peer does not take the answers. */
static bool answer_all(struct connection *connection) {
    while (!connection->waits && connection->filled - connection->at >= 4) {
        uint8_t *request = connection->in + connection->at;
        size_t size = read32(request);
        if (size > LARGEST) return false;
        if (connection->filled - connection->at < 4 + size) break;
        if (!answer(&connection->reply, request + 4, size)) return false;
        connection->at += 4 + size;
        if (connection->reply.region.segment && !send_reply(connection)) return false;
    }
    return connection->waits || send_reply(connection);
}

/* Room for the rest of the request that has begun; how much to receive: no more than a large one has. */
static size_t make_room(struct connection *connection) {
    size_t held = connection->filled - connection->at, whole = held;
    if (held >= 4) whole = 4 + (size_t)read32(connection->in + connection->at);
    if (!held) {
        connection->at = connection->filled = 0;
    } else if (connection->room - connection->at < whole || connection->room == connection->filled) {
        memmove(connection->in, connection->in + connection->at, held);
        connection->at = 0;
        connection->filled = held;
    }
    if (whole > connection->room) {
        connection->room = whole;
        connection->in = realloc(connection->in, whole);
        if (!connection->in) stop("no memory for a request");
    }
    return whole > LARGE ? whole - held : connection->room - connection->filled;
}

static bool receive(struct connection *connection) {
    size_t most = make_room(connection);
    ssize_t n = recv(connection->fd, connection->in + connection->filled, most, 0);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    connection->filled += (size_t)n;
    return answer_all(connection);
}

static bool serve(struct connection *connection, uint32_t events) {
    if (!connection->waits) return receive(connection);
    if (events & (EPOLLERR | EPOLLHUP) || !send_reply(connection)) return false;
    return connection->waits || answer_all(connection);
}

static void accept_one(int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;
    if (fd < 0) return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection) connection->in = malloc(BUFFER);
    if (!connection || !connection->in) stop("no memory for a connection");
    connection->fd = fd;
    connection->room = BUFFER;
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
}

static int listen_on(int port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&place, sizeof place) || listen(fd, 64))
        stop("port %d: %s", port, strerror(errno));
    return fd;
}

static void end(int signal) {
    (void)signal;
    _exit(0);
}

int main(int count, char **arguments) {
    if (count != 3) stop("floor PORT FOLDER");
    own_port = atoi(arguments[1]);
    signal(SIGTERM, end);
    prepare_crc();
    open_logs(arguments[2]);
    start_background();
    int listener = listen_on(own_port);
    poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event events[EVENTS], first = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &first);
    double next_retention = seconds_now();
    for (;;) {
        int ready = epoll_wait(poller, events, EVENTS, RETENTION_MS);
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (!connection) accept_one(listener);
            else if (!serve(connection, events[i].events)) close_connection(connection);
        }
        if (seconds_now() >= next_retention) {
            retain();
            next_retention = seconds_now() + RETENTION_MS / 1e3;
        }
    }
}
