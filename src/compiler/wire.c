/* SPDX-License-Identifier: MIT */
/* Messages with descriptors over a stream socket: nothing here knows what they mean.
 *
 * Signals of the host may interrupt every call; a socket that the other side closed is no SIGPIPE.
 */
#include "wire.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

union ancillary {
    struct cmsghdr header; /* aligns */
    char bytes[CMSG_SPACE(LW_WIRE_FDS * sizeof(int))];
};

static void
skip(struct iovec **parts, size_t *count, size_t bytes)
{
    while (*count && bytes >= (*parts)->iov_len) {
        bytes -= (*parts)->iov_len;
        (*parts)++;
        (*count)--;
    }
    if (*count) {
        (*parts)->iov_base = (char *)(*parts)->iov_base + bytes;
        (*parts)->iov_len -= bytes;
    }
}

bool
lw_wire_send(int socket, struct iovec *parts, size_t count, const int *fds, size_t fd_count)
{
    union ancillary ancillary = {0};
    skip(&parts, &count, 0);
    while (count) {
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
        if (fd_count) {
            message.msg_control = &ancillary;
            message.msg_controllen = CMSG_SPACE(fd_count * sizeof *fds);
            ancillary.header = (struct cmsghdr){CMSG_LEN(fd_count * sizeof *fds), SOL_SOCKET, SCM_RIGHTS};
            memcpy(CMSG_DATA(&ancillary.header), fds, fd_count * sizeof *fds);
        }
        ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        fd_count = 0; /* they went with the first byte */
        skip(&parts, &count, (size_t)sent);
    }
    return true;
}

/* What nobody asked for is closed. */
static void
take_fds(struct msghdr *message, int *fds)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (fds && i < LW_WIRE_FDS && fds[i] < 0)
                fds[i] = fd;
            else
                close(fd);
        }
    }
}

bool
lw_wire_receive(int socket, void *data, size_t size, int *fds)
{
    for (size_t i = 0; fds && i < LW_WIRE_FDS; i++)
        fds[i] = -1;
    for (size_t at = 0; at < size;) {
        union ancillary ancillary;
        struct iovec part = {(char *)data + at, size - at};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = &ancillary, .msg_controllen = sizeof ancillary};
        ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
        if (got < 0 && errno == EINTR)
            continue;
        if (got > 0)
            take_fds(&message, fds);
        if (got <= 0) {
            int why = got < 0 ? errno : 0;
            for (size_t i = 0; fds && i < LW_WIRE_FDS; i++)
                if (fds[i] >= 0)
                    close(fds[i]);
            errno = why;
            return false;
        }
        at += (size_t)got;
    }
    return true;
}

bool
lw_wire_may_write(size_t size)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) == 0 && size <= most.rlim_cur;
}

int
lw_wire_file(const struct iovec *parts, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += parts[i].iov_len;
    int file = lw_wire_may_write(size) ? memfd_create("lanewise", MFD_CLOEXEC) : -1;
    for (size_t i = 0; file >= 0 && i < count; i++)
        for (size_t at = 0; at < parts[i].iov_len;) {
            ssize_t written = write(file, (const char *)parts[i].iov_base + at, parts[i].iov_len - at);
            if (written < 0 && errno == EINTR)
                continue;
            if (written <= 0) {
                close(file);
                return -1;
            }
            at += (size_t)written;
        }
    return file;
}

bool
lw_wire_read_file(int file, void *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t got = pread(file, (char *)data + at, size - at, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    return true;
}
