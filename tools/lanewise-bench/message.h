/* SPDX-License-Identifier: MIT */
/* What the parent and its workers say to each other: a verb and `key=value` lines, behind a length. */
#ifndef LANEWISE_BENCH_MESSAGE_H
#define LANEWISE_BENCH_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include "text.h"

struct message {
    char *verb;
    char **keys, **values;
    size_t count;
};

/* To send: message_begin(&text, "check"), message_put..., message_send. */
void message_begin(struct text *text, const char *verb);
__attribute__((format(printf, 3, 4))) void message_put(struct text *text, const char *key, const char *format,
                                                       ...);
/* Frees the text. False: the other side is gone. */
bool message_send(int socket, struct text *text);

enum message_status { MESSAGE_HERE, MESSAGE_GONE, MESSAGE_LATE };
/* timeout in seconds; negative waits for ever. */
enum message_status message_receive(int socket, double timeout, struct message *message);
void message_free(struct message *message);
/* The value of a key; "" if there is none. */
const char *message_get(const struct message *message, const char *key);
double message_number(const struct message *message, const char *key);

#endif
