/* SPDX-License-Identifier: MIT */
/* Program binaries: a module and its specialization constants in a container that tells damage and strangers.
 *
 *   header, constants, module; the checksum covers all but itself.
 */
#include "../objects.h"

#include <stdlib.h>
#include <string.h>

#define BINARY_MAGIC "LANEWISE"
#define BINARY_FORMAT 3u
#define MAX_CONSTANTS 65536u

struct header {
    char magic[9];
    char unused[7];
    uint32_t format, type;
    uint64_t checksum;
    uint64_t module_size;
    uint32_t spec_count, flags;
};

struct constant {
    uint64_t id, size, value;
};

static uint64_t
checksum(const unsigned char *data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) {
        bool own = i >= offsetof(struct header, checksum) && i < offsetof(struct header, module_size);
        hash = (hash ^ (own ? 0 : data[i])) * 0x100000001b3u;
    }
    return hash ^ hash >> 29;
}

size_t
lw_cl_binary_size(cl_program program)
{
    pthread_mutex_lock(&program->lock);
    size_t size = program->module ? sizeof(struct header) + program->spec_count * sizeof(struct constant) +
                                        program->module_size
                                  : 0;
    pthread_mutex_unlock(&program->lock);
    return size;
}

void
lw_cl_binary_write(cl_program program, void *out)
{
    struct header header = {
        .magic = BINARY_MAGIC,
        .format = BINARY_FORMAT,
        .type = program->binary_type,
        .module_size = program->module_size,
        .spec_count = program->spec_count,
        .flags = program->flags,
    };
    unsigned char *at = out;
    memcpy(at, &header, sizeof header);
    at += sizeof header;
    for (cl_uint i = 0; i < program->spec_count; i++) {
        const struct lw_spec_value *spec = &program->spec[i];
        struct constant constant = {spec->id, spec->size, spec->value};
        memcpy(at, &constant, sizeof constant);
        at += sizeof constant;
    }
    memcpy(at, program->module, program->module_size);
    header.checksum = checksum(out, (size_t)(at - (unsigned char *)out) + program->module_size);
    memcpy(out, &header, sizeof header);
}

static bool
header_fits(const struct header *header, size_t size)
{
    bool known = header->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                 header->type == CL_PROGRAM_BINARY_TYPE_LIBRARY ||
                 header->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ||
                 header->type == CL_PROGRAM_BINARY_TYPE_NONE;
    size_t rest = size - sizeof *header;
    return memcmp(header->magic, BINARY_MAGIC, sizeof BINARY_MAGIC) == 0 && header->format == BINARY_FORMAT &&
           known && header->spec_count <= MAX_CONSTANTS &&
           rest >= header->spec_count * sizeof(struct constant) &&
           rest - header->spec_count * sizeof(struct constant) == header->module_size;
}

cl_int
lw_cl_binary_read(const void *data, size_t size, struct lw_cl_binary *out)
{
    struct header header;
    memset(out, 0, sizeof *out);
    if (size < sizeof header)
        return CL_INVALID_BINARY;
    memcpy(&header, data, sizeof header);
    if (!header_fits(&header, size) || checksum(data, size) != header.checksum)
        return CL_INVALID_BINARY;
    const unsigned char *at = (const unsigned char *)data + sizeof header;
    if (header.spec_count && !(out->spec = calloc(header.spec_count, sizeof *out->spec)))
        return CL_OUT_OF_HOST_MEMORY;
    out->spec_count = header.spec_count;
    for (cl_uint i = 0; i < header.spec_count; i++) {
        struct constant constant;
        memcpy(&constant, at + i * sizeof constant, sizeof constant);
        out->spec[i] = (struct lw_spec_value){(uint32_t)constant.id, (uint32_t)constant.size, constant.value};
    }
    out->module = at + header.spec_count * sizeof(struct constant);
    out->module_size = (size_t)header.module_size;
    out->type = header.type;
    out->flags = header.flags;
    return CL_SUCCESS;
}
