/* SPDX-License-Identifier: MIT */
/* What the HTML pages of several programs share: colours and type, for light and dark, and text made
 * harmless. */
#ifndef LANEWISE_TOOLS_PAGE_H
#define LANEWISE_TOOLS_PAGE_H

#include <stdio.h>

/* Rules for a style element; the rest of a page's names its own. */
extern const char lw_page_style[];
/* What stands for `c` in a page's text: NULL: itself; "": nothing, it is a control character. */
const char *lw_page_entity(char c);
void lw_page_text(FILE *out, const char *text, size_t length);

#endif
