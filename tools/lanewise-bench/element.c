/* SPDX-License-Identifier: MIT */
/* The element types of buffers and values. */
#include "element.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
element_parse(const char *name, struct element *element)
{
    static const struct {
        const char *name;
        struct element element;
    } types[] = {
        {"char", {ELEMENT_SIGNED, 1, 1}},  {"uchar", {ELEMENT_UNSIGNED, 1, 1}},
        {"short", {ELEMENT_SIGNED, 2, 1}}, {"ushort", {ELEMENT_UNSIGNED, 2, 1}},
        {"int", {ELEMENT_SIGNED, 4, 1}},   {"uint", {ELEMENT_UNSIGNED, 4, 1}},
        {"long", {ELEMENT_SIGNED, 8, 1}},  {"ulong", {ELEMENT_UNSIGNED, 8, 1}},
        {"half", {ELEMENT_FLOAT, 2, 1}},   {"float", {ELEMENT_FLOAT, 4, 1}},
        {"double", {ELEMENT_FLOAT, 8, 1}},
    };
    size_t length = strcspn(name, "0123456789");

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        long lanes = 1;
        char *end;

        if (strlen(types[i].name) != length || strncmp(types[i].name, name, length))
            continue;
        if (name[length]) {
            lanes = strtol(name + length, &end, 10);
            if (*end || (lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16))
                return false;
        }
        *element = types[i].element;
        element->lanes = lanes == 3 ? 4 : (unsigned)lanes;
        return true;
    }
    return false;
}

void
element_store_integer(const struct element *element, void *data, size_t i, int64_t value)
{
    if (element->kind == ELEMENT_FLOAT)
        element_store(element, data, i, (double)value);
    else
        memcpy((char *)data + i * element->bytes, &value, element->bytes); /* little-endian, as x86 is */
}

void
element_store(const struct element *element, void *data, size_t i, double value)
{
    char *place = (char *)data + i * element->bytes;
    float single = (float)value;
    _Float16 half = (_Float16)value;

    if (element->kind != ELEMENT_FLOAT)
        element_store_integer(element, data, i, (int64_t)value);
    else
        memcpy(place,
               element->bytes == 8   ? (void *)&value
               : element->bytes == 4 ? (void *)&single
                                     : (void *)&half,
               element->bytes);
}

double
element_load(const struct element *element, const void *data, size_t i)
{
    const char *place = (const char *)data + i * element->bytes;
    double value;
    float single;
    _Float16 half;

    if (element->kind == ELEMENT_SIGNED)
        return (double)element_load_integer(element, data, i);
    if (element->kind == ELEMENT_UNSIGNED)
        return (double)(uint64_t)element_load_integer(element, data, i);
    if (element->bytes == 8) {
        memcpy(&value, place, 8);
        return value;
    }
    if (element->bytes == 4) {
        memcpy(&single, place, 4);
        return single;
    }
    memcpy(&half, place, 2);
    return (double)half;
}

int64_t
element_load_integer(const struct element *element, const void *data, size_t i)
{
    uint64_t value = 0;
    unsigned unused = 64 - 8 * element->bytes;

    memcpy(&value, (const char *)data + i * element->bytes, element->bytes);
    if (element->kind == ELEMENT_SIGNED)
        return (int64_t)(value << unused) >> unused;
    return (int64_t)value;
}

void
element_print(const struct element *element, const void *data, size_t i, char *text, size_t bytes)
{
    if (element->kind == ELEMENT_FLOAT)
        snprintf(text, bytes, "%.*g",
                 element->bytes == 8   ? 17
                 : element->bytes == 4 ? 9
                                       : 5,
                 element_load(element, data, i));
    else if (element->kind == ELEMENT_SIGNED)
        snprintf(text, bytes, "%lld", (long long)element_load_integer(element, data, i));
    else
        snprintf(text, bytes, "%llu", (unsigned long long)element_load_integer(element, data, i));
}

void
element_poison(const struct element *element, void *data, size_t components)
{
    for (size_t i = 0; i < components; i++) {
        if (element->kind == ELEMENT_FLOAT)
            element_store(element, data, i, NAN);
        else
            element_store_integer(element, data, i, 0x5a5b5c5da5a4a3a2);
    }
}
