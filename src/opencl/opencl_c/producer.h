/* SPDX-License-Identifier: MIT */
/* Programs that make LLVM IR or SPIR-V of a text, run as child processes without a file on any disk.
 *
 * What they read and write are anonymous files (memfd) of ours, which the child inherits under the same
 * number and opens by the name /proc/self/fd/NUMBER. However a process ends, nothing is left behind.
 */
#ifndef LW_OPENCL_PRODUCER_H
#define LW_OPENCL_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>

#define LW_CL_FILE_NAME_BYTES 32

/* An anonymous file that holds `size` bytes; -1: there is no memory, or too many files are open. close() it.
 */
int lw_cl_file(const void *data, size_t size);
/* The name under which a child that is given the file finds it. */
void lw_cl_file_name(int file, char name[LW_CL_FILE_NAME_BYTES]);
/* All that is in it, malloc'd, with a zero byte behind; NULL: no memory. */
char *lw_cl_file_text(int file, size_t *size);

/* Arguments of a child. Those that others chose go by a file, where neither their length nor a first letter
 * matters. */
struct lw_cl_words {
    char *text; /* NUL-separated */
    size_t size, room;
    size_t count;
    bool failed; /* no memory */
};

void lw_cl_add_word(struct lw_cl_words *words, const char *word);
/* What keeps clang from taking a program's functions for C's (c_library.c). */
void lw_cl_add_own_functions(struct lw_cl_words *words);
/* The words as a file that clang takes for "@NAME"; -1: none. Each must begin with a dash: others are files.
 */
int lw_cl_word_file(const struct lw_cl_words *words);

struct lw_cl_child {
    int in, out, messages; /* standard input (-1: nothing), output (-1: with the messages) and error */
    const int *files;      /* that it inherits under their numbers */
    size_t file_count;
};

/* Runs words[0] with them; whether it said that all is well. Frees the words. */
bool lw_cl_run(struct lw_cl_words *words, const struct lw_cl_child *child);

/* The folders that executables are looked up in: PATH, but not in a program with raised privileges. */
const char *lw_cl_program_folders(void);

#endif
