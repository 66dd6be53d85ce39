/* SPDX-License-Identifier: MIT */
/* The headers given to clCompileProgram, as clang sees them: files of a folder that exists in none of the
 * file systems, only in an overlay (-ivfsoverlay) that says which anonymous file each of them is. */
#include "headers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer.h"
#include "cxx_headers.h" /* generated of include/opencl-c++ */

#define ROOT "/proc/self/lanewise/include" /* nobody can make a folder there */
#define DEEP ROOT "/1/2/3/4/5/6/7/8"       /* so deep that names that climb stay in it */

const char *
lw_cl_header_folder(const struct lw_cl_source *source)
{
    for (cl_uint i = 0; i < source->header_count; i++)
        if (strstr(source->headers[i].name, ".."))
            return DEEP;
    return ROOT;
}

/* The path of `name` from `folder` without "." and "..", malloc'd; NULL: it leaves the folder, or ends as no
 * file's name does. */
static char *
resolve(const char *folder, const char *name)
{
    const size_t least = strlen(ROOT);
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    if (!path)
        return NULL;
    size_t used = strlen(folder);
    memcpy(path, folder, used + 1);
    bool good = name[0] != '/', file = false;
    while (good && *name) {
        size_t length = strcspn(name, "/");
        bool up = length == 2 && strncmp(name, "..", 2) == 0, here = length == 1 && *name == '.';
        file = length && !up && !here;
        if (up) {
            used = (size_t)(strrchr(path, '/') - path);
            good = used >= least;
        } else if (file) {
            path[used++] = '/';
            memcpy(path + used, name, length);
            used += length;
        }
        path[used] = '\0';
        name += length;
        file = file && *name != '/';
        name += strspn(name, "/");
    }
    if (good && file)
        return path;
    free(path);
    return NULL;
}

struct lw_cl_header *
lw_cl_add_own_headers(const struct lw_cl_header *headers, cl_uint *count)
{
    const struct lw_cl_header own[] = {{"opencl_work_item", (const char *)opencl_work_item},
                                       {"opencl_work_group", (const char *)opencl_work_group}};
    const size_t own_count = sizeof own / sizeof own[0];
    struct lw_cl_header *all = malloc((*count + own_count) * sizeof *all);
    if (!all)
        return NULL;
    if (*count)
        memcpy(all, headers, *count * sizeof *all);
    memcpy(all + *count, own, sizeof own);
    *count += (cl_uint)own_count;
    return all;
}

bool
lw_cl_is_given_header(const char *path)
{
    if (strncmp(path, ROOT "/", sizeof ROOT) != 0)
        return false;
    char *resolved = resolve(ROOT, path + sizeof ROOT);
    bool given = resolved;
    free(resolved);
    return given;
}

static void
write_quoted(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ')
            fprintf(out, "\\x%02x", (unsigned)text[i]);
        else
            fprintf(out, text[i] == '"' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
    fputc('"', out);
}

/* One header's entry: the folder that it is in, with this one file. Of several with one path the first
 * counts.
 */
static bool
write_header(FILE *out, char **paths, cl_uint count, int file)
{
    const char *path = paths[count], *leaf = strrchr(path, '/');
    char name[LW_CL_FILE_NAME_BYTES];
    for (cl_uint i = 0; i < count; i++)
        if (strcmp(paths[i], path) == 0)
            return false;
    lw_cl_file_name(file, name);
    fputs(",\n{\"name\": ", out);
    write_quoted(out, path, (size_t)(leaf - path));
    fputs(", \"type\": \"directory\", \"contents\": [{\"name\": ", out);
    write_quoted(out, leaf + 1, strlen(leaf + 1));
    fprintf(out, ", \"type\": \"file\", \"external-contents\": \"%s\"}]}", name);
    return true;
}

static bool
write_overlay(FILE *out, cl_program program, const struct lw_cl_source *source, char **paths,
              struct lw_cl_headers *made)
{
    fputs("{\"version\": 0, \"case-sensitive\": true, \"use-external-names\": false, \"roots\": [\n"
          "{\"type\": \"directory\", \"contents\": [], \"name\": ",
          out);
    write_quoted(out, lw_cl_header_folder(source), strlen(lw_cl_header_folder(source)));
    fputc('}', out);
    for (cl_uint i = 0; i < source->header_count; i++) {
        const struct lw_cl_header *header = &source->headers[i];
        paths[i] = resolve(lw_cl_header_folder(source), header->name);
        int file = paths[i] ? lw_cl_file(header->text, strlen(header->text)) : -1;
        if (file < 0) {
            lw_cl_log(program, "error: cannot take the header %.200s", header->name);
            return false;
        }
        if (write_header(out, paths, i, file))
            made->files[made->count++] = file;
        else
            close(file);
    }
    fputs("\n]}\n", out);
    return true;
}

bool
lw_cl_headers_make(cl_program program, const struct lw_cl_source *source, struct lw_cl_headers *made)
{
    char *text = NULL, **paths = calloc(source->header_count + 1, sizeof *paths);
    size_t size = 0;
    *made = (struct lw_cl_headers){.overlay = -1};
    made->files = calloc(source->header_count + 1, sizeof *made->files);
    FILE *out = paths && made->files ? open_memstream(&text, &size) : NULL;
    bool good = out && write_overlay(out, program, source, paths, made);
    if (out)
        good = (fclose(out) == 0) && good;
    if (good)
        made->overlay = lw_cl_file(text, size);
    for (cl_uint i = 0; paths && i < source->header_count; i++)
        free(paths[i]);
    free(paths);
    free(text);
    return made->overlay >= 0;
}

void
lw_cl_headers_free(struct lw_cl_headers *made)
{
    for (size_t i = 0; i < made->count; i++)
        close(made->files[i]);
    if (made->overlay >= 0)
        close(made->overlay);
    free(made->files);
    *made = (struct lw_cl_headers){.overlay = -1};
}
