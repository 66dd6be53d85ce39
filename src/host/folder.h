/* SPDX-License-Identifier: MIT */
/* Temporary folders of the tools, and their end. */
#ifndef LW_SRC_FOLDER_H
#define LW_SRC_FOLDER_H

#include <ftw.h>
#include <stdio.h>

static inline int
lw_remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

/* With all that is in it; symbolic links are not followed. */
static inline void
lw_remove_folder(const char *path)
{
    nftw(path, lw_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
