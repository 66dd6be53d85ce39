/* SPDX-License-Identifier: MIT */
/* What the runtime and the compiler process, lanewise-compile, say to each other.
 *
 * The process has one control socket, on which it greets and is given sessions: a socket each, on which one
 * request after the other is answered by a thread of its own. When the control socket ends, so does the
 * process. Both sides are of one build (LW_PROTOCOL, LW_COMPILER_ABI), on one machine: structures go as they
 * lie in memory. Large payloads are memory files, whose descriptor comes with the header.
 */
#ifndef LW_SRC_COMPILE_PROTOCOL_H
#define LW_SRC_COMPILE_PROTOCOL_H

#include "../compiler.h"

#define LW_PROTOCOL 2u
#define LW_COMPILE_PROGRAM "lanewise-compile"
#define LW_CONTROL_SOCKET 3      /* in the compiler process */
#define LW_INLINE_PAYLOAD 65536u /* what is larger goes by a memory file, where there is one */
#define LW_MOST_PAYLOAD ((uint64_t)1 << 32)
#define LW_COMPILER_MEMORY ((uint64_t)4 << 30) /* what the process may hold, in bytes */

/* Sanitizers tell of a fault themselves, on the host's standard error, and reserve more memory than there is.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LW_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LW_SANITIZED 1
#endif
#endif
#ifndef LW_SANITIZED
#define LW_SANITIZED 0
#endif

/* The first message of the compiler process. */
struct lw_wire_hello {
    uint32_t protocol, abi;
    int32_t pid;
};

/* Behind it the payload: library, kernel, dump and skip with their zeros, then at the next multiple of 8 the
 * specialization constants and the words. */
struct lw_wire_request {
    uint32_t library_bytes, kernel_bytes, dump_bytes, skip_bytes; /* of the latter two 0: none */
    uint32_t spec_count;
    uint64_t word_count;
    struct lw_shape shape;
    uint32_t seconds; /* of processor time that it may take */
    bool explain;
    bool lines, variables;
    bool unlinked;
    bool at_leisure; /* nobody waits: only what processors have to spare; the session stays so */
    bool file;    /* the payload is a memory file, the first descriptor with this header */
    bool stderr_; /* the caller's standard error is the last one */
};

enum lw_wire_result {
    LW_WIRE_CODE,
    LW_WIRE_ERROR,   /* `error` says why */
    LW_WIRE_CRASHED, /* the process ends; `error.text` says how */
    LW_WIRE_TIME     /* the same: it took too long */
};

/* Behind it the report with its zero and the object. */
struct lw_wire_reply {
    uint32_t result; /* enum lw_wire_result */
    uint32_t others; /* of a crash: requests that were being compiled beside this one */
    lw_error error;
    double milliseconds; /* of processor time that compiling took */
    uint64_t frame_fixed, frame_per_sub_group, code_bytes;
    uint64_t report_bytes, object_bytes;
    uint32_t turns, doubt;
    bool file; /* the payload is a memory file */
    char symbol[32];
};

#endif
