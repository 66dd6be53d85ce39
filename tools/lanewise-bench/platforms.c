/* SPDX-License-Identifier: MIT */
/* Finds the platforms: --icd, or what the ICD loader would find, each library by itself. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "paths.h"
#include "platform.h"

#define SYSTEM_VENDORS "/etc/OpenCL/vendors"

struct finder {
    struct workshop *workshop;
    struct target *targets;
    int count, folders;
    char *error;
    size_t error_bytes;
};

/* lanewise.icd, libpocl.so.2 -> lanewise, pocl */
static char *
label_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    size_t length;

    if (!strncmp(file, "lib", 3) && strstr(file, ".so"))
        file += 3;
    length = strcspn(file, ".");
    return length ? text_make("%.*s", (int)length, file) : text_copy("platform");
}

static void
unique_label(struct finder *finder, struct target *target)
{
    for (int i = 0; i < finder->count; i++) {
        char *next;

        if (strcmp(finder->targets[i].label, target->label))
            continue;
        next = text_make("%s+", target->label);
        free(target->label);
        target->label = next;
        i = -1;
    }
}

static bool
make_vendors(struct finder *finder, struct target *target)
{
    char *file;
    bool good;

    /* a number of its own: a platform that is not kept leaves its folder */
    target->vendors = text_make("%s/icd-%d-%s", finder->workshop->folder, finder->folders++, target->label);
    file = text_make("%s/one.icd", target->vendors);
    good = mkdir(target->vendors, 0700) == 0 && file_write(file, target->library, strlen(target->library));
    if (!good)
        snprintf(finder->error, finder->error_bytes, "%s: %s", file, strerror(errno));
    free(file);
    return good;
}

/* All platforms of one library, a target each. */
static bool
add_library(struct finder *finder, const char *label, const char *library, const char *library_path,
            bool demanded)
{
    for (unsigned index = 0; finder->count < MAX_TARGETS; index++) {
        struct target *target = &finder->targets[finder->count];
        const char *slash = strrchr(library, '/');
        struct text question;
        struct message answer;
        enum asked asked;

        *target = (struct target){.kind = TARGET_PLATFORM,
                                  .label = text_copy(label),
                                  .library = text_copy(library),
                                  .index = index};
        if (library_path)
            target->library_path = text_copy(library_path);
        else if (slash)
            target->library_path = text_make("%.*s", (int)(slash - library), library);
        unique_label(finder, target);
        if (!make_vendors(finder, target))
            return false;
        message_begin(&question, "platform");
        asked = target_ask(finder->workshop, target, &question, finder->workshop->timeout, &answer);
        if (asked == ASKED_FAILED || (asked != ASKED_OK && (!demanded || index > 0))) {
            bool none = index == 0;

            if (none && demanded)
                snprintf(finder->error, finder->error_bytes, "%s: %s", library,
                         message_get(&answer, "reason"));
            else if (none)
                fprintf(stderr, "warning: %s: %s\n", library, message_get(&answer, "reason"));
            message_free(&answer);
            target_free(target);
            return !(none && demanded);
        }
        target->name = text_copy(asked == ASKED_OK ? message_get(&answer, "name") : label);
        target->version = text_copy(message_get(&answer, "version"));
        target->device = text_copy(message_get(&answer, "device"));
        target->driver = text_copy(message_get(&answer, "driver"));
        target->form = text_copy(message_get(&answer, "form"));
        target->units = (unsigned)message_number(&answer, "units");
        target->ours =
            strstr(target->name, "Lanewise") != NULL || strstr(library, "liblanewise-opencl") != NULL;
        target->broken = asked;
        target->broken_reason = text_copy(message_get(&answer, "reason"));
        finder->count++;
        message_free(&answer);
        if (asked != ASKED_OK) /* it crashes already here: shown as such with every kernel */
            return true;
        target_stop(target);
    }
    return true;
}

static bool
add_icd(struct finder *finder, const char *label, const char *path, const char *library_path, bool demanded)
{
    char *text = file_read(path, NULL), *own = NULL, *library;
    bool good;

    if (!text) {
        snprintf(finder->error, finder->error_bytes, "%s: %s", path, strerror(errno));
        return false;
    }
    text[strcspn(text, "\r\n")] = 0;
    for (library = text; isspace((unsigned char)*library);)
        library++;
    if (!label)
        label = own = label_of(path);
    good = *library ? add_library(finder, label, library, library_path, demanded) : false;
    if (!*library)
        snprintf(finder->error, finder->error_bytes, "%s: is empty; the path of a library is expected in it",
                 path);
    free(own);
    free(text);
    return good;
}

static int
is_icd(const struct dirent *entry)
{
    return text_ends_with(entry->d_name, ".icd");
}

static bool
add_folder(struct finder *finder, const char *label, const char *path, const char *library_path,
           bool demanded)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_icd, alphasort);
    bool good = true;

    if (count < 0 || (count == 0 && demanded)) {
        snprintf(finder->error, finder->error_bytes, "%s: %s", path,
                 count < 0 ? strerror(errno) : "holds no .icd file");
        return false;
    }
    for (int i = 0; i < count; i++) {
        char *file = text_make("%s/%s", path, entries[i]->d_name);

        good = good && add_icd(finder, label, file, library_path, demanded);
        free(file);
        free(entries[i]);
    }
    free(entries);
    return good;
}

static bool
add_path(struct finder *finder, const char *label, const char *path, const char *library_path, bool demanded)
{
    struct stat about;
    char *whole, *own = NULL;
    bool good;

    if (stat(path, &about)) {
        snprintf(finder->error, finder->error_bytes,
                 "--icd %s: %s: an .icd file, a folder of them or a .so is expected", path, strerror(errno));
        return false;
    }
    if (S_ISDIR(about.st_mode))
        return add_folder(finder, label, path, library_path, demanded);
    if (text_ends_with(path, ".icd"))
        return add_icd(finder, label, path, library_path, demanded);
    whole = realpath(path, NULL);
    if (!label)
        label = own = label_of(path);
    good = add_library(finder, label, whole ? whole : path, library_path, demanded);
    free(own);
    free(whole);
    return good;
}

/* [NAME=]PATH[:LIBDIR] */
static bool
add_given(struct finder *finder, const char *given)
{
    char *label = text_copy(given), *path = label, *library_path;
    char *equals = strchr(label, '='), *slash = strchr(label, '/');
    bool good;

    if (equals && (!slash || equals < slash)) {
        *equals = 0;
        path = equals + 1;
    }
    library_path = file_exists(path) ? NULL : strchr(path, ':');
    if (library_path)
        *library_path++ = 0;
    good = add_path(finder, path != label ? label : NULL, path, library_path, true);
    free(label);
    return good;
}

static bool
add_all_given(struct finder *finder, const char *list)
{
    char *copy = text_copy(list), *save = NULL;
    bool good = true;

    for (char *one = strtok_r(copy, ",", &save); one && good; one = strtok_r(NULL, ",", &save))
        good = add_given(finder, one);
    free(copy);
    return good;
}

static bool
add_found(struct finder *finder)
{
    const char *vendors = getenv("OCL_ICD_VENDORS"), *own = paths_own_icd();
    bool have_own = false;

    if (!vendors || !*vendors)
        vendors = SYSTEM_VENDORS;
    else if (!strchr(vendors, '/') && !file_exists(vendors))
        vendors = SYSTEM_VENDORS;
    if (own && !add_path(finder, "lanewise", own, NULL, false))
        return false;
    have_own = finder->count > 0;
    if (file_exists(vendors) && !add_path(finder, NULL, vendors, NULL, false))
        return false;
    /* The one of this program stands for an installed one, and for itself if the environment names it. */
    for (int i = finder->count - 1; have_own && i > 0; i--)
        if (finder->targets[i].ours) {
            target_free(&finder->targets[i]);
            memmove(&finder->targets[i], &finder->targets[i + 1],
                    (size_t)(--finder->count - i) * sizeof finder->targets[0]);
        }
    return true;
}

int
platforms_find(struct workshop *workshop, char *const *given, size_t given_count, struct target *targets,
               char *error, size_t error_bytes)
{
    struct finder finder = {workshop, targets, 0, 0, error, error_bytes};
    bool good = true;

    for (size_t i = 0; i < given_count && good; i++)
        good = add_all_given(&finder, given[i]);
    if (given_count == 0)
        good = add_found(&finder);
    if (good && finder.count == 0) {
        snprintf(error, error_bytes, "there is no OpenCL platform: --icd names one");
        good = false;
    }
    if (!good)
        for (int i = 0; i < finder.count; i++)
            target_free(&targets[i]);
    return good ? finder.count : -1;
}
