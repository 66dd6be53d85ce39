/* SPDX-License-Identifier: MIT */
/* One run by several processes, the ranks that mpirun starts.
 *
 * The work-groups are shared out along the range's last dimension, each rank a slab of consecutive ones; they
 * see the ids and sizes of the whole range. A buffer of --split is there on a rank as the slab's share of it,
 * in an address space of all of it: an index means the same on every rank, and an access far from the share
 * faults. Every other buffer is whole on each rank, and what a rank writes into one that --reduce does not
 * name would be lost: an error. Rank 0 gets the shares and the reductions, and alone prints, saves and
 * compares.
 *
 * Every step that may fail on one rank ends with cli_ranks_agree, so that one rank tells and none waits for
 * ever.
 */
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli.h"

#define MODULE "lanewise-mpi.so"

unsigned
cli_ranks_launched(unsigned *rank)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"}};
    uint64_t count, own;

    *rank = UINT_MAX;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *size = getenv(names[i][0]), *number = getenv(names[i][1]);
        if (!size || !cli_parse_count(size, strlen(size), &count))
            continue;
        if (number && cli_parse_count(number, strlen(number), &own))
            *rank = (unsigned)own;
        return (unsigned)count;
    }
    return 0;
}

bool
cli_ranks_join(struct cli *cli)
{
    char why[200];

    cli->ranks.count = 1;
    if (!cli->launched)
        return true;
    void *module = dlopen(MODULE, RTLD_NOW | RTLD_GLOBAL); /* Open MPI's plugins look for its names */
    if (!module) {
        const char *reason = dlerror();
        cli_fail(cli, CLI_UNSUPPORTED,
                 "this process is one of several that mpirun started, and spirv-run has no %s", MODULE);
        cli_hint(cli, "  %s\n  a build makes it where libopenmpi-dev is installed (meson's option mpi)\n",
                 reason ? reason : "");
        return false;
    }
    void *symbol = dlsym(module, "lw_ranks_join");
    cli_ranks_join_function *join;
    memcpy(&join, &symbol, sizeof join);
    if (!symbol || !join(&cli->ranks, why)) {
        cli->ranks.count = 1;
        return cli_fail(cli, CLI_UNSUPPORTED, "%s: %s", MODULE, symbol ? why : "it is of another version");
    }
    cli->shared->rank = cli->ranks.rank;
    cli->shared->ranks = cli->ranks.count;
    return true;
}

void
cli_ranks_leave(struct cli *cli)
{
    if (cli->ranks.leave)
        cli->ranks.leave();
}

static bool
lost(struct cli *cli)
{
    return cli_fail(cli, CLI_UNSUPPORTED, "a message between ranks was lost");
}

/* Rank 0's bytes on all. */
static bool
from_first(struct cli *cli, void *bytes, size_t size)
{
    const struct cli_ranks *r = &cli->ranks;
    if (r->rank)
        return r->receive(0, bytes, size) || lost(cli);
    for (unsigned i = 1; i < r->count; i++)
        if (!r->send(i, bytes, size))
            return lost(cli);
    return true;
}

bool
cli_ranks_agree(struct cli *cli, bool good)
{
    const struct cli_ranks *r = &cli->ranks;
    struct {
        uint32_t status, teller;
    } first = {0, 0};
    uint32_t own = good ? 0 : cli->status ? (uint32_t)cli->status : CLI_UNSUPPORTED, other;

    if (r->count == 1)
        return good;
    if (r->rank && !r->send(0, &own, sizeof own))
        return lost(cli);
    first.status = own;
    for (unsigned i = 1; i < r->count && !r->rank; i++) {
        if (!r->receive(i, &other, sizeof other))
            return lost(cli);
        if (other && !first.status) {
            first.status = other;
            first.teller = i;
        }
    }
    if (!from_first(cli, &first, sizeof first))
        return false;
    if (!first.status)
        return true;
    cli->silent = first.teller != r->rank;
    if (cli->silent)
        cli->status = (int)first.status;
    return false;
}

/* ---- Shares ---- */

static size_t
slab_begin(const struct cli *cli, unsigned rank)
{
    return (size_t)((unsigned __int128)cli->slabs * rank / cli->ranks.count);
}

/* Where the share of a buffer begins that goes with the slabs from `slab` on. Elements follow work-items, or,
 * where there are fewer of them, work-groups. */
static size_t
share_begin(const struct cli *cli, const struct cli_arg *arg, size_t slab)
{
    unsigned last = cli->range.dimensions - 1;
    size_t items = cli->range.global[last], local = cli->range.local[last];
    if (arg->count % items)
        return arg->count / cli->slabs * slab;
    return slab == cli->slabs ? arg->count : arg->count / items * local * slab;
}

static bool
share_buffer(struct cli *cli, uint32_t index)
{
    struct cli_arg *arg = index < cli->bound ? &cli->args[index] : NULL;
    unsigned last = cli->range.dimensions - 1;
    char label[120];

    cli_arg_label(cli, index, label);
    if (!arg)
        return cli_fail(cli, CLI_USAGE, "--split names %s, and kernel '%s' has %u (the first is 0)", label,
                        cli->info.name, cli->info.arg_count);
    if (cli->arg_infos[index].kind != LW_ARG_POINTER || arg->form == CLI_ARG_NULL)
        return cli_fail(cli, CLI_USAGE, "--split names %s, which is no buffer", label);
    bool by_items = arg->count % cli->range.global[last] == 0;
    bool by_groups = cli->range.global[last] % cli->range.local[last] == 0 && arg->count % cli->slabs == 0;
    if (!by_items && !by_groups)
        return cli_fail(cli, CLI_USAGE,
                        "--split: %s has %zu elements, which are no multiple of the %zu work-items along "
                        "dimension %u, nor "
                        "of their %zu work-groups: it cannot be cut along with them",
                        label, arg->count, cli->range.global[last], last, cli->slabs);
    arg->cut = cli->ranks.count > 1;
    arg->first = share_begin(cli, arg, cli->slab_first);
    arg->end = share_begin(cli, arg, cli->slab_end);
    return true;
}

static bool
share_reduction(struct cli *cli, const struct cli_reduce *reduce)
{
    uint32_t index = reduce->argument;
    char label[120];

    cli_arg_label(cli, index, label);
    if (index >= cli->bound)
        return cli_fail(cli, CLI_USAGE, "--reduce names %s, and kernel '%s' has %u (the first is 0)", label,
                        cli->info.name, cli->info.arg_count);
    if (cli->arg_infos[index].kind != LW_ARG_POINTER || cli->args[index].form == CLI_ARG_NULL)
        return cli_fail(cli, CLI_USAGE, "--reduce names %s, which is no buffer", label);
    if (cli->args[index].cut)
        return cli_fail(cli, CLI_USAGE, "%s is in --split and in --reduce", label);
    for (const struct cli_reduce *other = cli->options.reduces; other < reduce; other++)
        if (other->argument == index)
            return cli_fail(cli, CLI_USAGE, "--reduce names %s twice", label);
    cli->args[index].zeroed = reduce->how == CLI_SUM && cli->ranks.rank;
    return true;
}

static bool
is_reduced(const struct cli *cli, uint32_t index)
{
    for (unsigned i = 0; i < cli->options.reduce_count; i++)
        if (cli->options.reduces[i].argument == index)
            return true;
    return false;
}

bool
cli_ranks_share(struct cli *cli)
{
    const struct cli_options *o = &cli->options;
    unsigned last = cli->range.dimensions - 1;
    size_t local[3];
    lw_error error;

    if (cli->ranks.count == 1 && !o->split_count && !o->reduce_count)
        return true;
    if (!lw_kernel_suggest_local_size(cli->kernel, &cli->range, local, &error))
        return cli_fail_lw(cli, &error);
    if (!cli->range.local[0])
        memcpy(cli->range.local, local, sizeof local);
    if (cli->ranks.count > 1 && !from_first(cli, cli->range.local, sizeof cli->range.local))
        return false;
    size_t items = cli->range.global[last], size = cli->range.local[last];
    cli->slabs = items / size + (items % size != 0);
    if (cli->slabs < cli->ranks.count || !items)
        return cli_fail(cli, CLI_USAGE,
                        "the range has %zu work-group%s along dimension %u, where it is split, for %u ranks: "
                        "fewer ranks, "
                        "smaller work-groups (-w) or more work-items make one for each",
                        cli->slabs, cli->slabs == 1 ? "" : "s", last, cli->ranks.count);
    cli->slab_first = slab_begin(cli, cli->ranks.rank);
    cli->slab_end = slab_begin(cli, cli->ranks.rank + 1);
    for (unsigned i = 0; i < o->split_count; i++)
        if (!share_buffer(cli, o->splits[i]))
            return false;
    for (unsigned i = 0; i < o->reduce_count; i++)
        if (!share_reduction(cli, &o->reduces[i]))
            return false;
    return true;
}

/* ---- What a rank may write ---- */

/* Differs where one byte does, as good as always. */
static uint64_t
sum_bytes(const unsigned char *at, size_t size)
{
    uint64_t sum = size, word;
    for (; size >= 8; at += 8, size -= 8) {
        memcpy(&word, at, 8);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    for (; size; at++, size--)
        sum = (sum ^ *at) * UINT64_C(0x100000001b3);
    return sum;
}

/* The bytes that a cut buffer's pages have before and behind the share. */
static void
find_edges(const struct cli_arg *arg, const unsigned char *begin[2], size_t size[2])
{
    const unsigned char *base = arg->region.base, *end = base + arg->bytes;
    const unsigned char *low = arg->region.open > base ? arg->region.open : base;
    const unsigned char *high = arg->region.open_end < end ? arg->region.open_end : end;
    begin[0] = low;
    begin[1] = base + arg->end * arg->type->size;
    bool some = arg->first < arg->end;
    size[0] = some ? (size_t)(base + arg->first * arg->type->size - low) : 0;
    size[1] = some ? (size_t)(high - begin[1]) : 0;
}

void
cli_ranks_note(struct cli *cli)
{
    for (uint32_t i = 0; i < cli->bound && cli->ranks.count > 1; i++) {
        struct cli_arg *arg = &cli->args[i];
        const unsigned char *begin[2];
        size_t size[2];
        if (!arg->region.map)
            continue;
        if (!arg->cut) {
            arg->sum = sum_bytes(arg->region.base, arg->region.bytes);
            continue;
        }
        find_edges(arg, begin, size);
        free(arg->edges);
        arg->edges = malloc(size[0] + size[1] + 1);
        if (!arg->edges)
            continue;
        memcpy(arg->edges, begin[0], size[0]);
        memcpy(arg->edges + size[0], begin[1], size[1]);
    }
}

bool
cli_ranks_check(struct cli *cli)
{
    char label[120];

    for (uint32_t i = 0; i < cli->bound && cli->ranks.count > 1; i++) {
        const struct cli_arg *arg = &cli->args[i];
        const unsigned char *begin[2];
        size_t size[2];
        if (!arg->region.map || is_reduced(cli, i))
            continue;
        cli_arg_label(cli, i, label);
        if (!arg->cut && arg->sum != sum_bytes(arg->region.base, arg->region.bytes)) {
            cli_fail(cli, CLI_USAGE,
                     "kernel '%s' wrote %s, of which every rank has its own: what the others wrote would "
                     "be lost",
                     cli->info.name, label);
            cli_hint(cli,
                     "  --split %u where a work-item writes elements of its own, --reduce %u=sum|min|max "
                     "where all "
                     "contribute to the same\n",
                     i, i);
            return false;
        }
        if (!arg->cut || !arg->edges)
            continue;
        find_edges(arg, begin, size);
        if (memcmp(arg->edges, begin[0], size[0]) || memcmp(arg->edges + size[0], begin[1], size[1]))
            return cli_fail(cli, CLI_FAULT,
                            "kernel '%s' wrote %s outside of this rank's elements, %zu to %zu",
                            cli->info.name, label, arg->first, arg->end - 1);
    }
    return true;
}

/* ---- Results ---- */

static uint64_t
combine(const struct cli_type *type, enum cli_reduction how, uint64_t a, uint64_t b)
{
    unsigned shift = 64 - 8 * type->size;
    if (type->kind == 'f') {
        double x = cli_bits_to_double(type, a), y = cli_bits_to_double(type, b);
        return cli_bits_from_double(type, how == CLI_SUM ? x + y : how == CLI_MIN ? fmin(x, y) : fmax(x, y));
    }
    if (how == CLI_SUM)
        return a + b;
    bool less = type->kind == 'i' ? (int64_t)(a << shift) < (int64_t)(b << shift) : a < b;
    return less == (how == CLI_MIN) ? a : b;
}

static bool
gather_share(struct cli *cli, struct cli_arg *arg)
{
    const struct cli_ranks *r = &cli->ranks;
    size_t size = arg->type->size;

    if (r->rank)
        return r->send(0, arg->region.base + arg->first * size, (arg->end - arg->first) * size) || lost(cli);
    if (!cli_region_complete(&arg->region))
        return cli_fail(cli, CLI_UNSUPPORTED, "no memory for all of a buffer that was cut");
    for (unsigned i = 1; i < r->count; i++) {
        size_t first = share_begin(cli, arg, slab_begin(cli, i)),
               end = share_begin(cli, arg, slab_begin(cli, i + 1));
        if (!r->receive(i, arg->region.base + first * size, (end - first) * size))
            return lost(cli);
    }
    return true;
}

/* In the order of the ranks, so that sums of floats are the same every time. */
static bool
gather_reduction(struct cli *cli, struct cli_arg *arg, enum cli_reduction how)
{
    const struct cli_ranks *r = &cli->ranks;
    size_t size = arg->type->size;
    unsigned char *other = NULL;
    bool good = true;

    if (r->rank)
        return r->send(0, arg->region.base, arg->bytes) || lost(cli);
    for (unsigned i = 1; i < r->count && good; i++) {
        good = other || (other = malloc(arg->bytes + 1));
        good = good && r->receive(i, other, arg->bytes);
        for (size_t e = 0; e < arg->count && good; e++) {
            unsigned char *at = arg->region.base + e * size;
            cli_store_bits(arg->type, at,
                           combine(arg->type, how, cli_load_bits(arg->type, at),
                                   cli_load_bits(arg->type, other + e * size)));
        }
    }
    free(other);
    return good || lost(cli);
}

bool
cli_ranks_gather(struct cli *cli)
{
    const struct cli_options *o = &cli->options;

    for (unsigned i = 0; i < o->split_count && cli->ranks.count > 1; i++)
        if (!gather_share(cli, &cli->args[o->splits[i]]))
            return false;
    for (unsigned i = 0; i < o->reduce_count && cli->ranks.count > 1; i++)
        if (!gather_reduction(cli, &cli->args[o->reduces[i].argument], o->reduces[i].how))
            return false;
    return true;
}

/* ---- The report ---- */

/* "0-1,4" of the processors that this process may use. */
static void
name_cpus(char *out, size_t room)
{
    cpu_set_t set;
    size_t used = 0;

    snprintf(out, room, "?");
    if (sched_getaffinity(0, sizeof set, &set))
        return;
    for (int i = 0, end; i < CPU_SETSIZE && used + 16 < room; i = end + 1) {
        for (end = i; end < CPU_SETSIZE && CPU_ISSET(end, &set); end++)
            ;
        if (end == i)
            continue;
        used += (size_t)snprintf(out + used, room - used, end > i + 1 ? "%s%d-%d" : "%s%d", used ? "," : "",
                                 i, end - 1);
    }
}

static void
tell_one(struct cli *cli, unsigned rank, const struct cli_rank_report *r)
{
    struct lw_json *json = &cli->json;

    lw_json_open(json, NULL, '{');
    lw_json_unsigned(json, "rank", rank);
    lw_json_text(json, "host", r->host);
    lw_json_text(json, "cpus", r->cpus);
    lw_json_unsigned(json, "threads", r->threads);
    lw_json_unsigned(json, "first_group", r->first);
    lw_json_unsigned(json, "end_group", r->end);
    lw_json_unsigned(json, "compilations", r->compilations);
    lw_json_number(json, "compile_ms", r->compile_ms);
    lw_json_number(json, "run_min_ms", r->run_min_ms);
    lw_json_number(json, "run_median_ms", r->run_median_ms);
    lw_json_close(json);
    if (json->depth || !cli->options.time)
        return;
    fprintf(cli->text,
            "rank %u on %s: work-groups %llu to %llu of dimension %u, %u thread%s on processor %s, %u "
            "compiled in "
            "%.4g ms, run %.4g ms at best, %.4g median\n",
            rank, r->host, (unsigned long long)r->first, (unsigned long long)r->end - 1,
            cli->range.dimensions - 1, r->threads, r->threads == 1 ? "" : "s", r->cpus, r->compilations,
            r->compile_ms, r->run_min_ms, r->run_median_ms);
}

bool
cli_ranks_tell(struct cli *cli, struct cli_rank_report *own)
{
    const struct cli_ranks *r = &cli->ranks;
    struct cli_rank_report other;
    lw_compile_info info;

    if (r->count == 1)
        return true;
    lw_kernel_compile_info(cli->kernel, &info);
    own->first = cli->slab_first;
    own->end = cli->slab_end;
    own->threads = lw_device_threads(cli->device);
    own->compilations = info.compilations;
    own->compile_ms = info.milliseconds;
    if (gethostname(own->host, sizeof own->host - 1))
        snprintf(own->host, sizeof own->host, "?");
    name_cpus(own->cpus, sizeof own->cpus);
    if (r->rank)
        return r->send(0, own, sizeof *own) || lost(cli);
    lw_json_open(&cli->json, "ranks", '[');
    tell_one(cli, 0, own);
    for (unsigned i = 1; i < r->count; i++) {
        if (!r->receive(i, &other, sizeof other))
            return lost(cli);
        tell_one(cli, i, &other);
    }
    lw_json_close(&cli->json);
    return true;
}
