/* SPDX-License-Identifier: MIT */
/* lanewise-mpi.so: the ranks of an MPI job, for spirv-run, which loads it where a launcher started it.
 * Nothing else of Lanewise is linked with MPI: the libraries that it brings (30 of Open MPI's) stay out of
 * every other program, and one spirv-run runs on machines with MPI and without.
 */
#include <mpi.h>
#include <stdio.h>
#include "ranks.h"

#define MOST_BYTES ((size_t)1 << 28) /* of a message: counts are int */

static bool
send_bytes(unsigned to, const void *bytes, size_t size)
{
    const char *at = bytes;
    for (size_t n; size; at += n, size -= n) {
        n = size < MOST_BYTES ? size : MOST_BYTES;
        if (MPI_Send(at, (int)n, MPI_BYTE, (int)to, 0, MPI_COMM_WORLD) != MPI_SUCCESS)
            return false;
    }
    return true;
}

static bool
receive_bytes(unsigned from, void *bytes, size_t size)
{
    char *at = bytes;
    for (size_t n; size; at += n, size -= n) {
        n = size < MOST_BYTES ? size : MOST_BYTES;
        if (MPI_Recv(at, (int)n, MPI_BYTE, (int)from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    }
    return true;
}

static void
leave(void)
{
    MPI_Finalize();
}

cli_ranks_join_function lw_ranks_join;

__attribute__((visibility("default"))) bool
lw_ranks_join(struct cli_ranks *out, char why[200])
{
    int rank, count;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS || MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &count) != MPI_SUCCESS) {
        snprintf(why, 200, "MPI does not start");
        return false;
    }
    *out = (struct cli_ranks){(unsigned)rank, (unsigned)count, send_bytes, receive_bytes, leave};
    return true;
}
