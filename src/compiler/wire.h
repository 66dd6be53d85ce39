/* SPDX-License-Identifier: MIT */
/* Messages with descriptors over a stream socket. For both sides of compile_protocol.h. */
#ifndef LW_SRC_WIRE_H
#define LW_SRC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#define LW_WIRE_FDS 2

/* All of it, with `fd_count` descriptors beside the first byte. Changes `parts`. False: the other side is
 * gone. */
bool lw_wire_send(int socket, struct iovec *parts, size_t count, const int *fds, size_t fd_count);
/* Exactly so much; descriptors that come with it go to `fds` (LW_WIRE_FDS of them, NULL: none are wanted), -1
 * where there is none. False: the other side is gone, or (errno is not 0) it cannot be done. */
bool lw_wire_receive(int socket, void *data, size_t size, int *fds);

/* Beyond the process's limit on files a write would be a signal, which ends it. */
bool lw_wire_may_write(size_t size);
/* A file in memory that holds these parts; -1: there is none to be had. */
int lw_wire_file(const struct iovec *parts, size_t count);
/* Reads that much from the beginning of a file. */
bool lw_wire_read_file(int file, void *data, size_t size);

#endif
