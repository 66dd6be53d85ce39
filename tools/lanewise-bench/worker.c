/* SPDX-License-Identifier: MIT */
/* A worker process: reads a message, answers it, until the parent is gone.
 *
 *   platform index=I                   opencl: the platform's name, versions, ...; opens it
 *   case path= [section=] size= subgroup= local= [il= source=] [module=]
 *                                      opencl, limit, openmp: builds; answers the sub-group size and the
 * build time make ... file=F reference=M        reference: initial contents and expected results into F data
 * file=F                        opencl, limit: fills the buffers check                              runs once
 * on poisoned results and compares; answers the run's time save                               writes the
 * results of a run into F, as what is expected time seconds= least= warm=         times of runs drop releases
 * the case memory                             peak memory of the process Every answer is `ok ...` or `failed
 * stage= reason= log=`. */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

bool
work_open(struct work *work, const struct message *message, char *error, size_t error_bytes)
{
    const char *local = message_get(message, "local"), *section = message_get(message, "section");

    work_close(work);
    work->description =
        description_read(message_get(message, "path"), *section ? section : NULL, error, error_bytes);
    if (!work->description)
        return false;
    work->overrides = (struct overrides){.size = strtoll(message_get(message, "size"), NULL, 10),
                                         .subgroup = strtoll(message_get(message, "subgroup"), NULL, 10)};
    while (*local && work->overrides.local_dimensions < 3) {
        char *end;

        work->overrides.local[work->overrides.local_dimensions++] = strtoll(local, &end, 10);
        local = *end ? end + 1 : end;
    }
    work->have_case =
        case_make(work->description, &work->overrides, strtoll(message_get(message, "chosen"), NULL, 10),
                  &work->made, error, error_bytes);
    return work->have_case;
}

bool
work_choose_subgroup(struct work *work, int64_t subgroup, char *error, size_t error_bytes)
{
    case_free(&work->made);
    work->have_case =
        case_make(work->description, &work->overrides, subgroup, &work->made, error, error_bytes);
    return work->have_case;
}

bool
work_map(struct work *work, const char *path, bool create, char *error, size_t error_bytes)
{
    size_t bytes = data_places(&work->made, work->places);
    int file = open(path, (create ? O_CREAT | O_TRUNC : 0) | O_RDWR | O_CLOEXEC, 0600);
    struct stat about;

    if (work->data)
        munmap(work->data, work->data_bytes);
    work->data = NULL;
    if (file < 0 || (create && ftruncate(file, (off_t)bytes)) || fstat(file, &about) ||
        (size_t)about.st_size < bytes) {
        snprintf(error, error_bytes, "%s: %s", path, file < 0 || create ? strerror(errno) : "is too short");
        if (file >= 0)
            close(file);
        return false;
    }
    if (create && posix_fallocate(file, 0, (off_t)bytes)) {
        snprintf(error, error_bytes, "%s: no room for %zu bytes (TMPDIR names another folder)", path, bytes);
        close(file);
        return false;
    }
    work->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (work->data == MAP_FAILED) {
        work->data = NULL;
        snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        return false;
    }
    work->data_bytes = bytes;
    return true;
}

void
work_close(struct work *work)
{
    if (work->data)
        munmap(work->data, work->data_bytes);
    if (work->have_case)
        case_free(&work->made);
    description_free(work->description);
    *work = (struct work){0};
}

void
answer_failed(struct text *answer, const char *stage, const char *reason, const char *log)
{
    text_free(answer);
    message_begin(answer, "failed");
    message_put(answer, "stage", "%s", stage);
    message_put(answer, "reason", "%s", reason);
    message_put(answer, "log", "%s", log);
}

void
answer_times(const struct message *message, struct text *answer, run_once *once, void *worker)
{
    double seconds = message_number(message, "seconds"), warm = message_number(message, "warm");
    double least = message_number(message, "least"), until, time = 0;
    struct text times = {0};
    char error[512] = "";

    for (until = clock_seconds() + warm; warm >= 0;) {
        time = once(worker, error, sizeof error);
        if (time < 0 || clock_seconds() >= until)
            break;
    }
    until = clock_seconds() + seconds;
    for (unsigned count = 0; time >= 0 && count < 100000 && (count < least || clock_seconds() < until);
         count++) {
        time = once(worker, error, sizeof error);
        text_add(&times, "%s%.9f", count ? " " : "", time);
    }
    if (time < 0) {
        answer_failed(answer, "run", error, "");
    } else {
        message_begin(answer, "ok");
        message_put(answer, "times", "%s", times.data ? times.data : "");
    }
    text_free(&times);
}

void
answer_check(struct work *work, struct text *answer, get_result *get, void *worker)
{
    char error[512] = "", difference[400];

    for (unsigned i = 0; i < work->description->argument_count; i++) {
        const void *got;

        if (!has_contents(&work->description->arguments[i]) ||
            !work->description->arguments[i].result)
            continue;
        got = get(worker, i, error, sizeof error);
        if (!got) {
            answer_failed(answer, "run", error, "");
            return;
        }
        if (!results_compare(&work->made, i, work->data + work->places[i].expected, got, difference,
                             sizeof difference)) {
            answer_failed(answer, "wrong", difference, "");
            return;
        }
    }
    message_begin(answer, "ok");
}

static double
peak_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kib = 0;

    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "VmHWM:", 6))
            kib = strtod(line + 6, NULL);
    if (file)
        fclose(file);
    return kib;
}

/* --worker KIND: the socket is descriptor 3. */
int
worker_main(int count, char **arguments)
{
    void (*answer_message)(void **, const struct message *, struct text *) = opencl_worker_answer;
    void *state = NULL;
    struct message message;

    if (count > 2 && !strcmp(arguments[2], "limit"))
        answer_message = limit_worker_answer;
    else if (count > 2 && !strcmp(arguments[2], "openmp"))
        answer_message = openmp_worker_answer;
    else if (count > 2 && !strcmp(arguments[2], "reference"))
        answer_message = reference_worker_answer;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fcntl(3, F_SETFD, FD_CLOEXEC);
    while (message_receive(3, -1, &message) == MESSAGE_HERE) {
        struct text answer = {0};

        if (!strcmp(message.verb, "memory")) {
            message_begin(&answer, "ok");
            message_put(&answer, "kib", "%.0f", peak_kib());
        } else {
            answer_message(&state, &message, &answer);
        }
        message_free(&message);
        if (!message_send(3, &answer))
            break;
    }
    /* Without the platform's destructors: what they do is nobody's concern, and some hang. */
    _exit(0);
}
