/* SPDX-License-Identifier: MIT */
/* One ARG of the command line: its grammar, its fit to the kernel's parameter, the memory behind it. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../../spirv/pipe.h"
#include "cli.h"

static bool
parse_typed(struct cli_arg *arg, const char *text, const char *end, const char *bracket, char why[200])
{
    const char *close = strchr(bracket, ']');
    uint64_t count;
    size_t bytes;

    arg->form = CLI_ARG_TYPED;
    arg->type = cli_find_type(text, (size_t)(end - text));
    if (!arg->type) {
        snprintf(why, 200, "'%.60s': the type is none of i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64", text);
        return false;
    }
    if (!close || !cli_parse_count(bracket + 1, (size_t)(close - bracket - 1), &count)) {
        snprintf(why, 200, "'%.60s': a buffer is written TYPE[N] or TYPE[N]=SPEC", text);
        return false;
    }
    if (__builtin_mul_overflow(count, (uint64_t)arg->type->size, &bytes) || bytes > (size_t)1 << 46) {
        snprintf(why, 200, "'%.60s' is too large for memory", text);
        return false;
    }
    arg->count = count;
    if (close[1] != 0 && close[1] != '=') {
        snprintf(why, 200, "'%.60s': '=SPEC' or nothing comes after ']'", text);
        return false;
    }
    arg->rest = close[1] == '=' ? close + 2 : "zeros";
    return true;
}

/* pipe:TYPE[N], pipe:TYPExM[N]: N packets of M elements; =SPEC fills them. */
static bool
parse_pipe(struct cli_arg *arg, const char *text, char why[200])
{
    const char *bracket = strchr(text, '['), *times = strchr(text, 'x'), *end = bracket;
    uint64_t components = 1;
    if (bracket && times && times < bracket) {
        end = times;
        if (!cli_parse_count(times + 1, (size_t)(bracket - times - 1), &components))
            components = 0;
    }
    if (!bracket || !components || components > LW_MAX_PIPE_PACKET) {
        snprintf(why, 200,
                 "'%.60s': a pipe is written pipe:TYPE[N], or pipe:TYPExM[N] with M elements a packet",
                 arg->text);
        return false;
    }
    if (!parse_typed(arg, text, end, bracket, why))
        return false;
    arg->form = CLI_ARG_PIPE;
    arg->components = components;
    if (!strchr(text, '='))
        arg->rest = NULL; /* empty */
    if (!lw_pipe_memory_size((uint32_t)(arg->type->size * components),
                             arg->count > UINT32_MAX ? 0 : (uint32_t)arg->count)) {
        snprintf(why, 200, "'%.60s': packets have 1 to %u bytes, and a pipe at most %u", arg->text,
                 LW_MAX_PIPE_PACKET, LW_MAX_PIPE_PACKETS);
        return false;
    }
    arg->count *= components;
    return true;
}

static bool
parse_hex(struct cli_arg *arg, char why[200])
{
    size_t digits = strlen(arg->rest);

    arg->form = CLI_ARG_HEX;
    for (size_t i = 0; i < digits; i++)
        if (!isxdigit((unsigned char)arg->rest[i])) {
            snprintf(why, 200, "'%.60s': '%c' is no hexadecimal digit", arg->text, arg->rest[i]);
            return false;
        }
    if (digits % 2) {
        snprintf(why, 200, "'%.60s': a byte is two hexadecimal digits, and there are %zu", arg->text, digits);
        return false;
    }
    arg->count = digits / 2;
    return true;
}

bool
cli_arg_parse(struct cli_arg *arg, const char *text, char why[200])
{
    memset(arg, 0, sizeof *arg);
    arg->text = text;
    arg->fd = -1;
    const char *bracket = strchr(text, '[');

    if (text[0] == '@') {
        arg->form = CLI_ARG_FILE;
        arg->rest = text + 1;
        if (text[1])
            return true;
        snprintf(why, 200, "'@' is followed by the name of a file");
        return false;
    }
    if (!strncmp(text, "hex:", 4)) {
        arg->rest = text + 4;
        return parse_hex(arg, why);
    }
    if (!strncmp(text, "local:", 6)) {
        uint64_t bytes;
        arg->form = CLI_ARG_LOCAL;
        if (cli_parse_count(text + 6, strlen(text + 6), &bytes)) {
            arg->count = bytes;
            return true;
        }
        snprintf(why, 200, "'%.60s': local: is followed by a number of bytes", text);
        return false;
    }
    if (!strcmp(text, "queue") || !strncmp(text, "queue:", 6)) {
        uint64_t bytes = 0;
        arg->form = CLI_ARG_QUEUE;
        if (!text[5] || (cli_parse_count(text + 6, strlen(text + 6), &bytes) && bytes)) {
            arg->count = bytes;
            return true;
        }
        snprintf(why, 200, "'%.60s': queue: is followed by a number of bytes", text);
        return false;
    }
    if (!strncmp(text, "pipe:", 5))
        return parse_pipe(arg, text + 5, why);
    if (!strncmp(text, "image", 5))
        return cli_image_parse(arg, text, why);
    if (!strncmp(text, "sampler:", 8))
        return cli_sampler_parse(arg, text + 8, why);
    if (!strcmp(text, "null")) {
        arg->form = CLI_ARG_NULL;
        return true;
    }
    if (bracket && isalpha((unsigned char)text[0]))
        return parse_typed(arg, text, bracket, bracket, why);
    arg->form = CLI_ARG_NUMBERS;
    arg->rest = text;
    if (strchr("+-.0123456789", text[0]) || !strncmp(text, "inf", 3) || !strncmp(text, "nan", 3))
        if (text[0] &&
            !(text[0] == '-' && isalpha((unsigned char)text[1]) && strncmp(text, "-inf", 4) &&
              strncmp(text, "-nan", 4)) &&
            strncmp(text, "--", 2))
            return true;
    if (text[0] == '-')
        snprintf(why, 200, "'%.60s' is no argument (options come before the module)", text);
    else if (access(text, F_OK) == 0)
        snprintf(why, 200, "'%.60s' is a file, which is written '@%.60s'", text, text);
    else
        snprintf(why, 200,
                 "'%.60s' is none of a number, TYPE[N]=SPEC, @FILE, hex:BYTES, local:BYTES, pipe:TYPE[N], "
                 "image2d:WxH:FORMAT, sampler:MODE, null",
                 text);
    return false;
}

static const char *
form_name(const struct cli_arg *arg)
{
    static const char *const names[] = {"a number", "a buffer", "a file",   "bytes",     "local memory",
                                        "null",     "a pipe",   "an image", "a sampler", "a queue"};
    return names[arg->form];
}

/* What the parameter wants, as a noun. */
static const char *
kind_name(const lw_arg_info *info)
{
    switch (info->kind) {
    case LW_ARG_VALUE:
        return info->components > 1 ? "a vector by value" : "a scalar by value";
    case LW_ARG_STRUCT:
        return "a struct by value";
    case LW_ARG_LOCAL:
        return "a pointer to local memory";
    case LW_ARG_PIPE:
        return "a pipe";
    case LW_ARG_IMAGE:
        return "an image";
    case LW_ARG_SAMPLER:
        return "a sampler";
    case LW_ARG_QUEUE:
        return "a device queue";
    default:
        return "a pointer to global memory";
    }
}

static const char *
kind_example(const lw_arg_info *info)
{
    switch (info->kind) {
    case LW_ARG_VALUE:
        return info->components > 1 ? "1,2,3,4" : "42";
    case LW_ARG_STRUCT:
        return "hex:0102 or @FILE.bin";
    case LW_ARG_LOCAL:
        return "local:BYTES";
    case LW_ARG_PIPE:
        return "pipe:i32[1024]";
    case LW_ARG_IMAGE:
        return "image2d:640x480:rgba8";
    case LW_ARG_SAMPLER:
        return "sampler:edge,linear";
    case LW_ARG_QUEUE:
        return "queue";
    default:
        return "f32[1024]=iota, @FILE or null";
    }
}

static bool
bind_numbers(struct cli_arg *arg, const lw_arg_info *info, char why[200])
{
    const struct cli_type *type = cli_find_type(info->scalar, strlen(info->scalar));
    uint32_t components = info->components ? info->components : 1, given = 1;

    if (!type || components * type->size > info->size) {
        snprintf(why, 200, "a parameter of type %.60s is given by its bytes: hex:...", info->type);
        return false;
    }
    for (const char *c = arg->rest; *c; c++)
        given += *c == ',';
    if (given != components) {
        snprintf(why, 200, "%u value%s for %u component%s", given, given == 1 ? "" : "s", components,
                 components == 1 ? "" : "s");
        return false;
    }
    const char *text = arg->rest;
    for (uint32_t i = 0; i < components; i++) {
        size_t length = strcspn(text, ",");
        uint64_t bits;
        if (!cli_parse_number(type, true, text, length, &bits, why))
            return false;
        cli_store_bits(type, arg->value + i * type->size, bits);
        text += length + 1;
    }
    return true;
}

bool
cli_file_open(struct cli_arg *arg, char why[200])
{
    struct stat status;
    size_t length = strlen(arg->rest);

    arg->fd = open(arg->rest, O_RDONLY | O_CLOEXEC);
    if (arg->fd < 0 || fstat(arg->fd, &status)) {
        snprintf(why, 200, "cannot open '%.100s': %s", arg->rest, strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        snprintf(why, 200, "'%.100s' is no regular file", arg->rest);
        return false;
    }
    if (length > 4 && !strcmp(arg->rest + length - 4, ".npy")) {
        char inner[200];
        if (!lw_npy_read_header(arg->fd, &arg->npy, inner)) {
            snprintf(why, 200, "'%.60s': %.120s", arg->rest, inner);
            return false;
        }
        char name[8];
        int length = snprintf(name, sizeof name, "%c%u", arg->npy.letter, arg->npy.bytes * 8);
        arg->type = cli_find_type(name, (size_t)length);
        arg->count = arg->npy.count;
    } else {
        arg->type = cli_find_type("u8", 2);
        arg->count = (size_t)status.st_size;
    }
    arg->bytes = arg->count * arg->type->size;
    return true;
}

/* Reads what the ARG stands for into `out`, of its bytes those from `first` to `end`, whole elements. */
static bool
read_bytes(struct cli_arg *arg, unsigned char *out, size_t first, size_t end, char why[200])
{
    if (arg->form == CLI_ARG_HEX) {
        for (size_t i = first; i < end; i++) {
            char pair[3] = {arg->rest[2 * i], arg->rest[2 * i + 1], 0};
            out[i] = (unsigned char)strtoul(pair, NULL, 16);
        }
        return true;
    }
    for (size_t done = first; done < end;) {
        ssize_t n = pread(arg->fd, out + done, end - done, arg->npy.data + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            snprintf(why, 200, "cannot read '%.100s': %s", arg->rest,
                     n ? strerror(errno) : "it became shorter");
            return false;
        }
        done += (size_t)n;
    }
    if (arg->npy.swapped)
        lw_npy_swap((end - first) / arg->type->size, arg->type->size, out + first);
    return true;
}

static bool
bind_value(struct cli_arg *arg, const lw_arg_info *info, char why[200])
{
    arg->value = calloc(1, info->size ? info->size : 1);
    if (!arg->value) {
        snprintf(why, 200, "out of memory");
        return false;
    }
    if (arg->form == CLI_ARG_NUMBERS && info->kind == LW_ARG_VALUE)
        return bind_numbers(arg, info, why);
    if (arg->form != CLI_ARG_HEX && arg->form != CLI_ARG_FILE) {
        snprintf(why, 200, "%s was given, and the parameter is %s (write for example %s)", form_name(arg),
                 kind_name(info), kind_example(info));
        return false;
    }
    arg->bytes = arg->count;
    if (arg->form == CLI_ARG_FILE && !cli_file_open(arg, why))
        return false;
    if (arg->bytes != info->size) {
        snprintf(why, 200, "%zu bytes were given, and the parameter's type %.60s has %u", arg->bytes,
                 info->type, info->size);
        return false;
    }
    return read_bytes(arg, arg->value, 0, arg->bytes, why);
}

static bool
bind_buffer(struct cli_arg *arg, const lw_arg_info *info, char why[200])
{
    switch (arg->form) {
    case CLI_ARG_NULL:
        return true;
    case CLI_ARG_TYPED:
        arg->bytes = arg->count * arg->type->size;
        return cli_spec_parse(&arg->spec, arg->type, arg->count, arg->rest, why);
    case CLI_ARG_HEX:
        arg->type = cli_find_type("u8", 2);
        arg->bytes = arg->count;
        return true;
    case CLI_ARG_FILE:
        return cli_file_open(arg, why);
    default:
        snprintf(why, 200, "%s was given, and the parameter is %s (write for example %s)", form_name(arg),
                 kind_name(info), kind_example(info));
        return false;
    }
}

static bool
bind_pipe(struct cli_arg *arg, const lw_arg_info *info, char why[200])
{
    if (arg->form == CLI_ARG_PIPE) {
        arg->bytes = arg->count * arg->type->size;
        return !arg->rest || cli_spec_parse(&arg->spec, arg->type, arg->count, arg->rest, why);
    }
    snprintf(why, 200, "%s was given, and the parameter is %s (write for example %s)", form_name(arg),
             kind_name(info), kind_example(info));
    return false;
}

bool
cli_arg_bind(struct cli_arg *arg, const lw_arg_info *info, char why[200])
{
    if (info->kind == LW_ARG_POINTER)
        return bind_buffer(arg, info, why);
    if (info->kind == LW_ARG_VALUE || info->kind == LW_ARG_STRUCT)
        return bind_value(arg, info, why);
    if (info->kind == LW_ARG_PIPE)
        return bind_pipe(arg, info, why);
    if (info->kind == LW_ARG_IMAGE && arg->form == CLI_ARG_IMAGE)
        return cli_image_bind(arg, why);
    if (info->kind == LW_ARG_SAMPLER && arg->form == CLI_ARG_SAMPLER)
        return true;
    if (info->kind == LW_ARG_IMAGE || info->kind == LW_ARG_SAMPLER) {
        snprintf(why, 200, "%s was given, and the parameter is %s (write for example %s)", form_name(arg),
                 kind_name(info), kind_example(info));
        return false;
    }
    if (arg->form == (info->kind == LW_ARG_QUEUE ? CLI_ARG_QUEUE : CLI_ARG_LOCAL))
        return true;
    snprintf(why, 200, "%s was given, and the parameter is %s (write for example %s)", form_name(arg),
             kind_name(info), info->kind == LW_ARG_QUEUE ? "queue" : "local:1024");
    return false;
}

bool
cli_arg_allocate(struct cli_arg *arg, size_t align, char why[200])
{
    size_t bytes = arg->bytes;
    if (arg->form == CLI_ARG_NULL || arg->form == CLI_ARG_LOCAL || arg->form == CLI_ARG_SAMPLER ||
        arg->form == CLI_ARG_QUEUE || (arg->value && arg->form != CLI_ARG_IMAGE))
        return true;
    if (arg->form == CLI_ARG_PIPE) {
        uint32_t size = (uint32_t)(arg->type->size * arg->components),
                 packets = (uint32_t)(arg->count / arg->components);
        bytes = lw_pipe_memory_size(size, packets);
        arg->offset = bytes - arg->bytes;
        bytes = (bytes + LW_PIPE_ALIGN - 1) & ~(size_t)(LW_PIPE_ALIGN - 1);
        align = LW_PIPE_ALIGN;
    }
    if (arg->form == CLI_ARG_IMAGE && align < sizeof(uint32_t))
        align = sizeof(uint32_t); /* of the words of a texel */
    size_t first = arg->cut ? arg->first * arg->type->size : 0,
           end = arg->cut ? arg->end * arg->type->size : bytes;
    if (cli_region_create_part(&arg->region, bytes, align, first, end))
        return true;
    snprintf(why, 200, "no memory for its %zu bytes", arg->bytes);
    return false;
}

/* A pipe that was never written, or that all packets are written to, as they are committed in order. */
static void
fill_pipe(struct cli_arg *arg)
{
    struct lw_pipe *pipe = (struct lw_pipe *)(void *)arg->region.base;
    uint32_t packets = (uint32_t)(arg->count / arg->components);
    memset(cli_elements(arg), 0, arg->bytes);
    lw_pipe_init(pipe, (uint32_t)(arg->type->size * arg->components), packets);
    if (!arg->rest)
        return;
    cli_spec_fill(&arg->spec, arg->type, 0, arg->count, cli_elements(arg));
    for (uint32_t i = 0; i < packets; i++)
        pipe->state[i] = 1;
    pipe->write_next = (uint64_t)1 << 32;
    pipe->written = packets;
}

bool
cli_arg_fill(struct cli_arg *arg, char why[200])
{
    bool fresh = !arg->filled;

    if (!arg->region.map)
        return true;
    arg->filled = true;
    if (arg->form == CLI_ARG_PIPE) {
        fill_pipe(arg);
        return true;
    }
    if (arg->form == CLI_ARG_IMAGE && arg->value) {
        memcpy(arg->region.base, arg->value, arg->bytes);
        return true;
    }
    /* Of a part all that its pages have room for: a kernel that reads a little beyond it reads what is there.
     */
    unsigned char *base = arg->region.base;
    size_t first = arg->region.open > base ? (size_t)(arg->region.open - base) : 0;
    size_t end =
        arg->region.open_end < base + arg->bytes ? (size_t)(arg->region.open_end - base) : arg->bytes;
    if (arg->cut && arg->first == arg->end)
        return true;
    if (arg->zeroed) {
        memset(base, 0, arg->bytes);
        return true;
    }
    if (arg->form != CLI_ARG_TYPED && (arg->form != CLI_ARG_IMAGE || arg->fd >= 0))
        return read_bytes(arg, base, first, end, why);
    if (arg->spec.kind != CLI_ZEROS)
        cli_spec_fill(&arg->spec, arg->type, first / arg->type->size, end / arg->type->size, base);
    else if (!fresh)
        memset(base + first, 0, end - first);
    return true;
}

bool
cli_arg_set(struct cli_arg *arg, lw_device *device, lw_kernel *kernel, uint32_t index,
            const lw_arg_info *info, lw_error *error)
{
    if (info->kind == LW_ARG_QUEUE) {
        if (!arg->queue)
            arg->queue = lw_device_queue_create(device, arg->count, error);
        return arg->queue && lw_kernel_set_arg_queue(kernel, index, arg->queue, error);
    }
    if (info->kind == LW_ARG_LOCAL)
        return lw_kernel_set_arg_local(kernel, index, arg->count, error);
    if (info->kind == LW_ARG_POINTER)
        return lw_kernel_set_arg_pointer(kernel, index, arg->region.base, arg->bytes, error);
    if (info->kind == LW_ARG_PIPE)
        return lw_kernel_set_arg_pipe(kernel, index, arg->region.base, error);
    if (info->kind == LW_ARG_SAMPLER)
        return lw_kernel_set_arg_sampler(kernel, index, (uint32_t)arg->count, error);
    if (info->kind == LW_ARG_IMAGE) {
        arg->image.data = arg->region.base;
        return lw_kernel_set_arg_image(kernel, index, &arg->image, error);
    }
    return lw_kernel_set_arg(kernel, index, arg->value, info->size, error);
}

void
cli_arg_free(struct cli_arg *arg)
{
    cli_spec_free(&arg->spec);
    cli_region_free(&arg->region);
    lw_device_queue_release(arg->queue);
    arg->queue = NULL;
    free(arg->value);
    free(arg->edges);
    arg->value = arg->edges = NULL;
    if (arg->fd >= 0)
        close(arg->fd);
    arg->fd = -1;
}
