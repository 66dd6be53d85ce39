/* SPDX-License-Identifier: MIT */
/* Messages between the parent and its workers. */
#include "message.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_MESSAGE ((uint32_t)64 << 20)

void
message_begin(struct text *text, const char *verb)
{
    *text = (struct text){0};
    text_add(text, "%s\n", verb);
}

void
message_put(struct text *text, const char *key, const char *format, ...)
{
    struct text made = {0};
    va_list list;
    char *value;

    va_start(list, format);
    text_add_list(&made, format, list);
    va_end(list);
    value = text_take(&made);
    text_add(text, "%s=", key);
    for (const char *c = value; *c; c++)
        text_add_bytes(text, *c == '\n' ? "\\n" : *c == '\\' ? "\\\\" : c, *c == '\n' || *c == '\\' ? 2 : 1);
    text_add(text, "\n");
    free(value);
}

static bool
send_all(int socket, const void *data, size_t bytes)
{
    for (const char *at = data; bytes;) {
        ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

bool
message_send(int socket, struct text *text)
{
    uint32_t bytes = (uint32_t)text->length;
    bool good = send_all(socket, &bytes, sizeof bytes) && send_all(socket, text->data, text->length);

    text_free(text);
    return good;
}

static enum message_status
receive_all(int socket, double until, void *data, size_t bytes)
{
    char *at = data;

    while (bytes) {
        struct pollfd one = {.fd = socket, .events = POLLIN};
        double left = until < 0 ? -1 : until - clock_seconds();
        int ready = poll(&one, 1, until < 0 ? -1 : left > 0 ? (int)(left * 1000) + 1 : 0);
        ssize_t got;

        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0)
            return MESSAGE_LATE;
        got = recv(socket, at, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return MESSAGE_GONE;
        at += got;
        bytes -= (size_t)got;
    }
    return MESSAGE_HERE;
}

static char *
unescape(const char *from, size_t length)
{
    char *made = memory_get(length + 1), *to = made;

    for (size_t i = 0; i < length; i++) {
        if (from[i] == '\\' && i + 1 < length)
            *to++ = from[++i] == 'n' ? '\n' : from[i];
        else
            *to++ = from[i];
    }
    return made;
}

static void
parse(struct message *message, char *text)
{
    char *line = text, *end = strchr(line, '\n');

    if (end)
        *end = 0;
    message->verb = text_copy(line);
    while (end) {
        char *equals;

        line = end + 1;
        end = strchr(line, '\n');
        if (end)
            *end = 0;
        equals = strchr(line, '=');
        if (!equals)
            continue;
        message->keys = memory_grow(message->keys, (message->count + 1) * sizeof *message->keys);
        message->values = memory_grow(message->values, (message->count + 1) * sizeof *message->values);
        message->keys[message->count] = unescape(line, (size_t)(equals - line));
        message->values[message->count++] = unescape(equals + 1, strlen(equals + 1));
    }
}

enum message_status
message_receive(int socket, double timeout, struct message *message)
{
    double until = timeout < 0 ? -1 : clock_seconds() + timeout;
    uint32_t bytes;
    enum message_status status = receive_all(socket, until, &bytes, sizeof bytes);
    char *text;

    *message = (struct message){0};
    if (status != MESSAGE_HERE)
        return status;
    if (bytes > MAX_MESSAGE)
        return MESSAGE_GONE;
    text = memory_get((size_t)bytes + 1);
    status = receive_all(socket, until, text, bytes);
    if (status == MESSAGE_HERE)
        parse(message, text);
    free(text);
    return status;
}

void
message_free(struct message *message)
{
    free(message->verb);
    for (size_t i = 0; i < message->count; i++) {
        free(message->keys[i]);
        free(message->values[i]);
    }
    free(message->keys);
    free(message->values);
    *message = (struct message){0};
}

const char *
message_get(const struct message *message, const char *key)
{
    for (size_t i = 0; i < message->count; i++)
        if (!strcmp(message->keys[i], key))
            return message->values[i];
    return "";
}

double
message_number(const struct message *message, const char *key)
{
    return strtod(message_get(message, key), NULL);
}
