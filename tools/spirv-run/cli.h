/* SPDX-License-Identifier: MIT */
/* spirv-run: what its files share.
 *
 * main.c reads the command line (options.c) and the module's bytes, then watch.c forks: the child does
 * everything that touches the module (run.c: load, bind kernel_arguments.c, run, print.c,
 * expect.c), the parent waits, shows progress and turns a fault or a time-out into a sentence. Only
 * <lanewise/lanewise.h> and spirv/text.h are used, as any client of the library would.
 */
#ifndef LW_CLI_H
#define LW_CLI_H

#include <stdarg.h>
#include <sys/types.h>
#include <lanewise/lanewise.h>
#include "tools/shared/json.h"
#include "tools/shared/npy.h"
#include "ranks.h"

enum cli_exit {
    CLI_DONE = 0,
    CLI_MISMATCH = 1, /* or a bad module */
    CLI_USAGE = 2,
    CLI_UNSUPPORTED = 3,
    CLI_FAULT = 4,
    CLI_TIMEOUT = 124
};

#define CLI_MAX_ARGS 255 /* OpTypeFunction takes no more */
#define CLI_MAX_LOCALS 256 /* of those that faults are told by */
#define CLI_MAX_ITEMS 64 /* of --print, -o, --expect, --spec each */

/* ---- Element types and numbers: values.c, half.c ----------------------------------------------------------
 */

struct cli_type {
    const char *name; /* as on the command line: i8 .. f64 */
    uint8_t size;
    char kind; /* 'i', 'u', 'f' */
};

/* NULL where `name` (of `length` characters) is none. */
const struct cli_type *cli_find_type(const char *name, size_t length);
/* One number as `type`. With `any_sign` an integer may be any pattern of its width, -128..255 for i8. On
 * failure `why` gets half a sentence. */
bool cli_parse_number(const struct cli_type *type, bool any_sign, const char *text, size_t length,
                      uint64_t *bits, char why[200]);
/* A plain count: decimal or 0x, nothing else. */
bool cli_parse_count(const char *text, size_t length, uint64_t *out);
uint64_t cli_load_bits(const struct cli_type *type, const void *element);
void cli_store_bits(const struct cli_type *type, void *element, uint64_t bits);
double cli_bits_to_double(const struct cli_type *type, uint64_t bits);
uint64_t cli_bits_from_double(const struct cli_type *type,
                              double value); /* of a float type, rounded to nearest */
/* The shortest text that reads back as the same value; at most 31 characters. */
void cli_format_bits(const struct cli_type *type, uint64_t bits, char out[32]);

double cli_half_to_double(uint16_t half);
uint16_t cli_half_from_double(double value); /* round to nearest even */

/* SPEC: what fills a buffer, or what it is compared with. Any element can be computed by its index. */
struct cli_spec {
    enum { CLI_ZEROS, CLI_IOTA, CLI_FILL, CLI_RAND, CLI_LIST } kind;
    uint64_t value; /* of fill, seed of rand */
    uint64_t *list; /* bits; owned */
};
bool cli_spec_parse(struct cli_spec *spec, const struct cli_type *type, size_t count, const char *text,
                    char why[200]);
uint64_t cli_spec_bits(const struct cli_spec *spec, const struct cli_type *type, size_t index);
/* The elements from `first` to `end`, `out` the place of element 0. */
void cli_spec_fill(const struct cli_spec *spec, const struct cli_type *type, size_t first, size_t end,
                   void *out);
void cli_spec_free(struct cli_spec *spec);

/* ---- Memory with guard pages: guard.c ---------------------------------------------------------------------
 */

struct cli_region {
    unsigned char *base; /* `bytes` of the buffer; its end touches the guard, less up to `align` - 1 bytes */
    size_t bytes;
    size_t front, slack; /* bytes between it and the guards, filled with a pattern */
    unsigned char *open,
        *open_end; /* the pages that may be touched: all of these bytes, or around a part of them */
    void *map;
    size_t map_bytes;
};
bool cli_region_create(struct cli_region *region, size_t bytes, size_t align);
/* The same with only the pages of the bytes from `first` to `end` there: the address space is of all of them.
 */
bool cli_region_create_part(struct cli_region *region, size_t bytes, size_t align, size_t first, size_t end);
/* Makes the rest of a part there. */
bool cli_region_complete(struct cli_region *region);
/* False where a byte beside the buffer was written: `*where` is its distance from the buffer's beginning. */
bool cli_region_intact(const struct cli_region *region, ptrdiff_t *where);
void cli_region_free(struct cli_region *region);

/* ---- One ARG: arguments.c ---------------------------------------------------------------------------------
 */

struct cli_arg {
    const char *text;
    enum {
        CLI_ARG_NUMBERS,
        CLI_ARG_TYPED,
        CLI_ARG_FILE,
        CLI_ARG_HEX,
        CLI_ARG_LOCAL,
        CLI_ARG_NULL,
        CLI_ARG_PIPE,
        CLI_ARG_IMAGE,
        CLI_ARG_SAMPLER,
        CLI_ARG_QUEUE
    } form;
    const struct cli_type *type; /* of the buffer's elements */
    size_t count;                /* elements of TYPE[N]; bytes of local:BYTES; a sampler's bits; bytes of
                                    queue:BYTES, 0 of queue */
    size_t components; /* of a packet of pipe:TYPExM[N], of a texel; `count` is of all elements then */
    struct lw_image image;       /* of CLI_ARG_IMAGE, its texels without gaps in `region` */
    const char *rest;            /* after the prefix: the SPEC, the file's name, the digits, the numbers */
    /* after binding */
    struct cli_spec spec;
    int fd;
    struct lw_npy npy; /* of FILE.npy, else letter 0 */
    size_t bytes;
    struct cli_region region;
    size_t offset; /* of the elements in it: a pipe has its state before them */
    unsigned char *value; /* of a scalar, vector or struct; the texels of a picture */
    lw_device_queue *queue;
    bool filled;          /* the region has been filled once: zeros need work */
    /* of one rank among several (ranks.c) */
    bool cut, zeroed; /* it has a part of the elements; it begins with zeros, whatever the ARG says */
    size_t first, end; /* the part, in elements */
    uint64_t sum;     /* of the contents that no rank may change */
    unsigned char *edges; /* owned: the pages' bytes beside the part, as they were */
};

/* The elements: of a pipe, those of its ring. */
static inline unsigned char *
cli_elements(const struct cli_arg *arg)
{
    return arg->region.base + arg->offset;
}

/* The grammar alone. */
bool cli_arg_parse(struct cli_arg *arg, const char *text, char why[200]);
/* Against the kernel's parameter: reads values, opens files, finds the size. */
bool cli_arg_bind(struct cli_arg *arg, const lw_arg_info *info, char why[200]);
/* Makes the buffer, its address a multiple of `align`; nothing for a value. */
bool cli_arg_allocate(struct cli_arg *arg, size_t align, char why[200]);
/* (Re)fills the buffer with what the ARG says. */
bool cli_arg_fill(struct cli_arg *arg, char why[200]);
bool cli_arg_set(struct cli_arg *arg, lw_device *device, lw_kernel *kernel, uint32_t index,
                 const lw_arg_info *info, lw_error *error);
void cli_arg_free(struct cli_arg *arg);
/* Opens the file `rest`, finds its type and size. */
bool cli_file_open(struct cli_arg *arg, char why[200]);

/* ---- Images and samplers: image.c ---- */
bool cli_image_parse(struct cli_arg *arg, const char *text, char why[200]);
bool cli_sampler_parse(struct cli_arg *arg, const char *text, char why[200]);
bool cli_image_bind(struct cli_arg *arg, char why[200]);
bool cli_image_is_picture(const char *path);
/* False and errno, EINVAL where the image is none of bytes. */
bool cli_image_write_picture(const struct cli_arg *arg, int fd);

/* ---- The command line: options.c --------------------------------------------------------------------------
 */

struct cli_print {
    uint32_t argument;
    bool ranged;
    size_t first, end;
};

struct cli_output {
    uint32_t argument;
    const char *path; /* NULL: stdout */
    bool npy;
    int fd;
    char *
        temporary; /* written first, renamed to `path` when the run is done; NULL: `path` is written itself */
};

struct cli_expect {
    uint32_t argument;
    const char *what;
};

enum cli_reduction { CLI_SUM, CLI_MIN, CLI_MAX };

struct cli_reduce {
    uint32_t argument;
    enum cli_reduction how;
};

struct cli_spec_value {
    uint32_t id;
    const char *text;
};

struct cli_options {
    bool list, time, explain, validate, json;
    const char *kernel;
    uint32_t dimensions, local_dimensions, offset_dimensions; /* 0: not given */
    size_t global[3], local[3], offset[3];
    uint32_t sub_group_size;
    lw_isa isa;
    uint32_t threads;
    double timeout;
    uint32_t repetitions;
    const char *dump, *html;
    double rtol, atol, ulp;
    bool tolerance;
    struct cli_print prints[CLI_MAX_ITEMS];
    struct cli_output outputs[CLI_MAX_ITEMS];
    struct cli_expect expects[CLI_MAX_ITEMS];
    struct cli_spec_value specs[CLI_MAX_ITEMS];
    struct cli_reduce reduces[CLI_MAX_ITEMS];
    uint32_t splits[CLI_MAX_ITEMS];
    unsigned print_count, output_count, expect_count, spec_count, split_count, reduce_count;
    const char *module; /* a path or "-" */
    char **args;
    unsigned arg_count;
};

/* ---- JSON: ../shared/json.c -------------------------------------------------------------------------------
 */

/* print.c: an element, as it is printed; what JSON has no number for as a text. */
void cli_json_bits(struct lw_json *json, const struct cli_type *type, uint64_t bits);

/* ---- The run ----------------------------------------------------------------------------------------------
 */

/* Seen by parent and child: how far the child is, and what it faulted on. */
struct cli_shared {
    volatile int phase; /* enum cli_phase */
    volatile unsigned repetition;
    char kernel[256];
    struct {
        uint64_t base, bytes;
        char name[64];
        char type[8];
        uint64_t count;
        bool cut; /* to the elements from `first` to `end` */
        uint64_t first, end;
    } args[CLI_MAX_ARGS];
    unsigned arg_count;
    struct { /* of local memory, see lw_local_object; argument UINT32_MAX: a variable */
        uint64_t offset, bytes;
        uint32_t argument;
        char name[64];
    } locals[CLI_MAX_LOCALS];
    unsigned local_count;
    struct {
        volatile int signal;
        int code;
        uint64_t address;
        uint64_t error; /* page fault error code: bit 1 set for a write, bit 4 for an instruction fetch */
        bool in_groups;
        uint64_t local_memory; /* of the work-group */
        uint64_t group[3],
            groups; /* the first work-group of the run that the thread was at, and how many it has */
    } fault;
    bool reported; /* the child has told its error itself */
    unsigned rank, ranks; /* ranks 0: it is alone */
};

enum cli_phase { CLI_PHASE_LOAD, CLI_PHASE_FILL, CLI_PHASE_COMPILE, CLI_PHASE_RUN, CLI_PHASE_RESULTS };

struct cli {
    struct cli_options options;
    struct cli_shared *shared;
    unsigned char *module;
    size_t module_size;
    bool module_is_text;
    bool exact;   /* buffers end exactly at their guard */
    bool launched; /* by mpirun, as one of several */
    bool silent;   /* another rank tells */
    bool tracing; /* a second child after a fault, only to learn which work-group it is: shows no result */

    int status; /* enum cli_exit of the first error */
    char error[1600];
    char hint[1600]; /* lines after it */

    FILE *text; /* where results go: stdout, or stderr where -o I=- has stdout */
    struct lw_json json;

    /* the child's */
    lw_device *device;
    lw_program *program;
    lw_kernel *kernel;
    lw_device_queue *queue; /* the default one */
    uint32_t kernel_index;
    lw_kernel_info info;
    lw_ndrange range;
    struct cli_arg args[CLI_MAX_ARGS];
    lw_arg_info arg_infos[CLI_MAX_ARGS];
    unsigned bound;
    struct cli_ranks ranks;        /* count 1 where it is alone */
    size_t slab_first, slab_end;   /* its work-groups in the last dimension */
    size_t slabs;                  /* of all ranks */
};

/* ---- report.c ---- */

/* False always. The first error stays. */
bool cli_fail(struct cli *cli, enum cli_exit status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool cli_fail_lw(struct cli *cli, const lw_error *error);
void cli_hint(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the error and the hint, in JSON too where asked. */
void cli_report(struct cli *cli);

/* ---- The kernel's arguments: kernel_arguments.c, in this order ---- */

#define CLI_MOST_ALIGNED 128 /* the largest alignment of an OpenCL type: double16, long16 */

bool cli_bind_arguments(struct cli *cli);
bool cli_set_arguments(struct cli *cli);
bool cli_fill_arguments(struct cli *cli);
/* The watching process is told of them. */
void cli_share_arguments(struct cli *cli);
/* The bytes between a buffer and its guards must be as they were. */
bool cli_check_slack(struct cli *cli);

/* 0: go on; otherwise the caller returns `*status`. */
bool cli_options_read(struct cli *cli, int argc, char **argv, bool *finished);
/* The first of the kernel's arguments that looks like an option; NULL: none does. */
const char *cli_option_among_arguments(const struct cli_options *o);

bool cli_outputs_open(struct cli *cli);
bool cli_outputs_write(struct cli *cli);
void cli_outputs_finish(struct cli *cli, bool keep);

/* Forks, watches; returns the exit status. `cli->exact` is tried first; see watch.c. */
int cli_watch(struct cli *cli);
/* The child's work; returns its exit status. */
int cli_run(struct cli *cli);
void cli_install_fault_handler(struct cli_shared *shared);

/* How many ranks a launcher says there are, 0: none does; `*rank` is UINT_MAX where it does not say which. */
unsigned cli_ranks_launched(unsigned *rank);
/* Joins the others; alone where there are none. */
bool cli_ranks_join(struct cli *cli);
void cli_ranks_leave(struct cli *cli);
/* All ranks must call it. True where all were given true; else one rank alone tells its error. */
bool cli_ranks_agree(struct cli *cli, bool good);
/* The work-groups and the parts of buffers that are this rank's, after cli->range and sizes are known; in one
 * dimension or more, `groups` of the last. */
bool cli_ranks_share(struct cli *cli);
/* After the buffers are filled; after the run, false where a rank wrote what is not its own. */
void cli_ranks_note(struct cli *cli);
bool cli_ranks_check(struct cli *cli);
/* Results onto rank 0. */
bool cli_ranks_gather(struct cli *cli);
/* On rank 0: what every rank did, in text or JSON. */
struct cli_rank_report {
    char host[64], cpus[64];
    uint64_t first, end;
    uint32_t threads, compilations;
    double compile_ms, run_min_ms, run_median_ms;
};
bool cli_ranks_tell(struct cli *cli, struct cli_rank_report *own);

bool cli_list(struct cli *cli);
/* A hint with the signature and a command line that would work. */
void cli_hint_usage(struct cli *cli);
bool cli_print_results(struct cli *cli);
bool cli_expect_results(struct cli *cli);
void cli_explain_print(struct cli *cli, const char *report);
/* explain_html.c: the same as a page, into the file that --html names. */
bool cli_explain_html(struct cli *cli, const char *report);
/* explain_print.c: a lw_report_source (src/compiler/report_text.h); `cli` is a struct cli. */
char *cli_explain_source(const void *cli, const char *file);
/* "argument 1 (y)" */
void cli_arg_label(const struct cli *cli, uint32_t index, char out[120]);
/* The buffer behind argument `index`, or an error that says which option asked for what is none. */
struct cli_arg *cli_buffer(struct cli *cli, uint32_t index, const char *option);

#endif
