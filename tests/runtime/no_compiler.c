/* SPDX-License-Identifier: MIT */
/* A library that is no compiler: it lacks the entry. */
int lw_no_compiler(void);

int
lw_no_compiler(void)
{
    return 0;
}
