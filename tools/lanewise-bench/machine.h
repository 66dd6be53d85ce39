/* SPDX-License-Identifier: MIT */
#ifndef LANEWISE_BENCH_MACHINE_H
#define LANEWISE_BENCH_MACHINE_H

/* For the heading of a report; the caller frees them. */
char *machine_processor(void);
char *machine_system(void);
char *machine_date(void);

#endif
