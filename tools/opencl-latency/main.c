/* SPDX-License-Identifier: MIT */
/* opencl-latency: arguments, and a process for every platform, part and round. */
#include "latency.h"
#include "src/host/folder.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct settings {
    struct column columns[MAX_COLUMNS];
    unsigned column_count, rounds;
    const char *platform, *figure;
    bool json, quiet;
    char folder[64]; /* for the platforms' caches */
};

static void
print_help(void)
{
    puts("usage: opencl-latency [options]\n"
         "\n"
         "Measures what the calls of OpenCL platforms cost: launches, transfers, builds, the start of a "
         "process.\n"
         "Every figure is the median of some rounds; in each round the platforms take turns, a process each, "
         "so\n"
         "that a slow moment of the machine falls on all. Programs come as SPIR-V where the platform takes "
         "it,\n"
         "else as OpenCL C. Results are checked; a platform with a wrong one has no figures.\n"
         "\n"
         "  --icd [NAME=]PATH  a platform, as OCL_ICD_VENDORS names it (an .icd file or a folder of them); "
         "give\n"
         "                     it again for a further column. Without it: what the loader finds\n"
         "  --library-path P   LD_LIBRARY_PATH of the platform of the last --icd\n"
         "  --platform TEXT    the platform whose name contains TEXT, where the loader finds several\n"
         "  --rounds N         5\n"
         "  --figure NAME      only this figure and those measured in the same process\n"
         "  --json             JSON on standard output, instead of the table\n"
         "  --list             the figures\n"
         "  --quiet            no progress on standard error\n"
         "\n"
         "For example, with Intel's runtime from PyPI (intel-opencl-rt, intel-cmplr-lib-rt) in a venv V, and "
         "the\n"
         "path of its libintelocl.so in icd/intel.icd:\n"
         "  opencl-latency --icd Lanewise=build/src/opencl/lanewise.icd \\\n"
         "      --icd Intel=icd --library-path V/lib --icd PoCL=/etc/OpenCL/vendors/pocl.icd\n"
         "\n"
         "Exit status: 0; 1 where a platform failed; 2 for a wrong command line.");
}

static void
print_list(void)
{
    for (unsigned i = 0; i < figure_count; i++)
        printf("%-14s %-3s  %s\n", figures[i].name, figures[i].unit, figures[i].text);
}

/* ---- One process ---- */

static void
set_environment(const struct settings *s, const struct column *column, enum part part)
{
    char path[128];
    if (column->icd)
        setenv("OCL_ICD_VENDORS", column->icd, 1);
    if (column->library_path)
        setenv("LD_LIBRARY_PATH", column->library_path, 1);
    snprintf(path, sizeof path, "%s/%s", s->folder, part == PART_WARM ? "warm" : "cold");
    setenv("LANEWISE_CACHE_DIR", path, 1);
    setenv("POCL_CACHE_DIR", path, 1);
    setenv("LANEWISE_CACHE", part == PART_WARM ? "1" : "0", 1);
    setenv("POCL_KERNEL_CACHE", part == PART_WARM ? "1" : "0", 1);
}

static _Noreturn void
exec_part(const struct settings *s, const struct column *column, enum part part, int out, int error)
{
    char started[40];
    char *arguments[7] = {"opencl-latency", "--measure", (char *)part_names[part], started, NULL};
    dup2(out, 1);
    dup2(error, 2);
    close(out);
    close(error);
    set_environment(s, column, part);
    if (s->platform) {
        arguments[4] = "--platform";
        arguments[5] = (char *)s->platform;
    }
    snprintf(started, sizeof started, "%.3f", now_us());
    execv("/proc/self/exe", arguments);
    _exit(127);
}

static void
take_line(struct column *column, const char *line)
{
    char name[64];
    double value;
    if (strncmp(line, "platform-name ", 14) == 0)
        snprintf(column->platform, sizeof column->platform, "%.*s", (int)strcspn(line + 14, "\n"), line + 14);
    else if (strncmp(line, "platform-version ", 17) == 0)
        snprintf(column->version, sizeof column->version, "%.*s", (int)strcspn(line + 17, "\n"), line + 17);
    else if (sscanf(line, "%63s %lf", name, &value) == 2)
        for (unsigned i = 0; i < figure_count; i++) {
            struct cell *cell = &column->cells[i];
            if (strcmp(figures[i].name, name) == 0 && cell->count < column->rounds)
                cell->values[cell->count++] = value;
        }
}

/* The last line that the process wrote to standard error. */
static void
take_error(struct column *column, FILE *errors, int status)
{
    char line[256];
    snprintf(column->error, sizeof column->error,
             WIFSIGNALED(status) ? "ended by signal %d" : "exit status %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    rewind(errors);
    while (fgets(line, sizeof line, errors)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line)
            memcpy(column->error, line, sizeof line);
    }
}

/* `warm_up`: what it measured is thrown away. false: it failed. */
static bool
run_part(struct settings *s, struct column *column, enum part part, bool warm_up)
{
    int ends[2], status = 0;
    FILE *errors = tmpfile();
    if (!errors || pipe(ends) != 0)
        die("no pipe", -errno);
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        die("no process", -errno);
    if (child == 0) {
        close(ends[0]);
        exec_part(s, column, part, ends[1], fileno(errors));
    }
    close(ends[1]);
    FILE *lines = fdopen(ends[0], "r");
    char line[512];
    while (lines && fgets(line, sizeof line, lines))
        if (!warm_up)
            take_line(column, line);
    if (lines)
        fclose(lines);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (status != 0)
        take_error(column, errors, status);
    fclose(errors);
    return status == 0;
}

/* ---- As that process ---- */

static void
tell_platform(const char *wanted)
{
    char text[128] = "";
    cl_platform_id platform = find_platform(wanted);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, NULL);
    printf("platform-name %s\n", text);
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL);
    printf("platform-version %s\n", text);
}

/* opencl-latency --measure PART STARTED [--platform TEXT]; warm figures have names of their own. */
static int
measure(int count, char **arguments)
{
    const char *part = arguments[2], *platform = count > 5 ? arguments[5] : NULL;
    if (strcmp(part, part_names[PART_LAUNCH]) == 0)
        measure_launches(platform);
    else if (strcmp(part, part_names[PART_BUILD]) == 0)
        measure_builds(platform);
    else
        measure_start(platform, atof(arguments[3]), strcmp(part, part_names[PART_WARM]) == 0);
    tell_platform(platform);
    return 0;
}

/* ---- Rounds ---- */

static bool
is_wanted(const struct settings *s, enum part part)
{
    for (unsigned i = 0; i < figure_count; i++)
        if (figures[i].part == part && (!s->figure || strcmp(figures[i].name, s->figure) == 0))
            return true;
    return false;
}

static void
run_rounds(struct settings *s)
{
    for (unsigned round = 0; round < s->rounds; round++)
        for (unsigned part = 0; part < PART_COUNT; part++)
            for (unsigned c = 0; c < s->column_count && is_wanted(s, part); c++) {
                struct column *column = &s->columns[c];
                if (column->error[0])
                    continue;
                if (!s->quiet && isatty(2))
                    fprintf(stderr, "\rround %u of %u: %s, %-30s", round + 1, s->rounds, part_names[part],
                            column->name ? column->name : "");
                if (part != PART_WARM || round || run_part(s, column, part, true))
                    run_part(s, column, part, false);
            }
    if (!s->quiet && isatty(2))
        fprintf(stderr, "\r%60s\r", "");
}

/* ---- Arguments ---- */

static struct column *
add_column(struct settings *s, char *text)
{
    struct column *column = &s->columns[s->column_count++];
    char *equals = text ? strchr(text, '=') : NULL;
    column->icd = text;
    column->rounds = s->rounds;
    if (equals) {
        *equals = '\0';
        column->name = text;
        column->icd = equals + 1;
    }
    column->cells = calloc(figure_count, sizeof *column->cells);
    for (unsigned i = 0; column->cells && i < figure_count; i++)
        if (!(column->cells[i].values = calloc(s->rounds, sizeof(double))))
            return NULL;
    return column->cells ? column : NULL;
}

static void
free_column(struct column *column)
{
    for (unsigned i = 0; i < figure_count; i++)
        free(column->cells[i].values);
    free(column->cells);
}

static int
usage(const char *what, const char *item)
{
    fprintf(stderr, "opencl-latency: %s%s; --help tells more\n", what, item);
    return 2;
}

/* The platforms, once the number of rounds is known. */
static bool
add_columns(struct settings *s, char **icds, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!add_column(s, icds[i]))
            return false;
    return count || add_column(s, NULL);
}

/* -1: go on; else the exit status. */
static int
read_arguments(struct settings *s, int count, char **arguments)
{
    static const struct option options[] = {
        {"icd", required_argument, NULL, 'i'},      {"library-path", required_argument, NULL, 'L'},
        {"platform", required_argument, NULL, 'p'}, {"rounds", required_argument, NULL, 'r'},
        {"figure", required_argument, NULL, 'f'},   {"json", no_argument, NULL, 'j'},
        {"list", no_argument, NULL, 'l'},           {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
    };
    char *icds[MAX_COLUMNS], *end;
    unsigned icd_count = 0;
    unsigned long rounds = 5;
    int option;
    while ((option = getopt_long(count, arguments, "h", options, NULL)) >= 0)
        switch (option) {
        case 'i':
            if (icd_count == MAX_COLUMNS)
                return usage("too many platforms: ", optarg);
            icds[icd_count++] = optarg;
            break;
        case 'L':
            if (!icd_count)
                return usage("--library-path belongs behind an --icd", "");
            s->columns[icd_count - 1].library_path = optarg;
            break;
        case 'p':
            s->platform = optarg;
            break;
        case 'f':
            s->figure = optarg;
            break;
        case 'r':
            rounds = strtoul(optarg, &end, 10);
            if (*end || rounds < 1 || rounds > MAX_ROUNDS)
                return usage("a number of rounds is 1 to 1000, not ", optarg);
            break;
        case 'j':
            s->json = true;
            break;
        case 'q':
            s->quiet = true;
            break;
        case 'l':
            print_list();
            return 0;
        case 'h':
            print_help();
            return 0;
        default:
            return usage("wrong arguments", "");
        }
    if (optind < count)
        return usage("unknown argument ", arguments[optind]);
    bool known = !s->figure;
    for (unsigned i = 0; i < figure_count; i++)
        known |= s->figure && strcmp(figures[i].name, s->figure) == 0;
    if (!known)
        return usage("there is no figure ", s->figure);
    s->rounds = (unsigned)rounds;
    if (!add_columns(s, icds, icd_count))
        die("no memory", CL_OUT_OF_HOST_MEMORY);
    return -1;
}

int
main(int count, char **arguments)
{
    static struct settings s = {.folder = "/tmp/opencl-latency-XXXXXX"};
    if (count >= 4 && strcmp(arguments[1], "--measure") == 0)
        return measure(count, arguments);
    int status = read_arguments(&s, count, arguments);
    if (status >= 0)
        return status;
    if (!mkdtemp(s.folder))
        die("no folder in /tmp", -errno);
    run_rounds(&s);
    lw_remove_folder(s.folder);
    if (s.json)
        print_json(stdout, s.columns, s.column_count, s.rounds);
    else
        print_table(stdout, s.columns, s.column_count);
    for (unsigned c = 0; c < s.column_count; c++) {
        status = s.columns[c].error[0] ? 1 : status;
        free_column(&s.columns[c]);
    }
    return status > 0;
}
