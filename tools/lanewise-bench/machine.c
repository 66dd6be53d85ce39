/* SPDX-License-Identifier: MIT */
/* The machine's name and the date, as reports begin with. */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include "text.h"

char *
machine_processor(void)
{
    char *text = file_read("/proc/cpuinfo", NULL), *name, *made;
    int family = 0, model = 0, processors = 0;
    const char *found;

    if (!text)
        return text_copy("an unknown processor");
    for (found = text; (found = strstr(found, "processor\t")); found++)
        processors++;
    if ((found = strstr(text, "cpu family")) && (found = strchr(found, ':')))
        family = atoi(found + 1);
    if ((found = strstr(text, "model\t")) && (found = strchr(found, ':')))
        model = atoi(found + 1);
    name = strstr(text, "model name");
    name = name ? strchr(name, ':') : NULL;
    if (name)
        for (name++; *name == ' ';)
            name++;
    made = text_make("%.*s (family %d, model %d), %d processors", name ? (int)strcspn(name, "\n") : 7,
                     name ? name : "unknown", family, model, processors);
    free(text);
    return made;
}

char *
machine_system(void)
{
    struct utsname about;

    if (uname(&about))
        return text_copy("Linux");
    return text_make("%s %s", about.sysname, about.release);
}

char *
machine_date(void)
{
    time_t now = time(NULL);
    struct tm parts;
    char text[64];

    gmtime_r(&now, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text_copy(text);
}
