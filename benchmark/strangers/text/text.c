/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <ctype.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

LIMIT_LOOP(base64_encode)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(char, out);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        uint32_t bits = (uint32_t)in[3 * i] << 16 | (uint32_t)in[3 * i + 1] << 8 | in[3 * i + 2];
        for (size_t k = 0; k < 4; k++)
            out[4 * i + k] = letters[bits >> (18 - 6 * k) & 63];
    }
}

LIMIT_LOOP(base64_decode)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    LIMIT_BUFFER(int, bad);
    uint8_t value[256];
    int wrong = 0;

    memset(value, 255, sizeof value);
    for (int i = 0; i < 64; i++)
        value[(uint8_t)letters[i]] = (uint8_t)i;
#pragma omp parallel for reduction(+ : wrong)
    for (size_t i = 0; i < limit->size; i++) {
        uint8_t v[4], any = 0;
        uint32_t bits;
        for (size_t k = 0; k < 4; k++) {
            v[k] = value[in[4 * i + k]];
            any |= v[k];
        }
        if (any == 255) {
            wrong++;
            continue;
        }
        bits = (uint32_t)v[0] << 18 | (uint32_t)v[1] << 12 | (uint32_t)v[2] << 6 | v[3];
        for (size_t k = 0; k < 3; k++)
            out[3 * i + k] = (uint8_t)(bits >> (16 - 8 * k));
    }
    *bad += wrong;
}

LIMIT_FILL(json_scan)
{
    static const char some[] = "{}[]\"\"\"\\,,:  abcx0123456789.";
    LIMIT_BUFFER(char, text);
    uint32_t state = 7;

    for (size_t i = 0; i < limit->size * 128; i++) {
        state = state * 1664525 + 1013904223;
        text[i] = some[(state >> 8) % (sizeof some - 1)];
    }
}

LIMIT_LOOP(json_scan)
{
    LIMIT_BUFFER(const char, text);
    LIMIT_BUFFER(int, found);

#pragma omp parallel for
    for (size_t id = 0; id < limit->size; id++) {
        const char *at = text + id * 128, *end = at + 128;
        int depth = 0, deepest = 0, strings = 0, numbers = 0, errors = 0;
        while (at < end) {
            char c = *at++;
            if (c == '"') {
                while (at < end && *at != '"')
                    at += *at == '\\' ? 2 : 1;
                strings += at < end;
                at++;
            } else if (c >= '0' && c <= '9') {
                while (at < end && ((*at >= '0' && *at <= '9') || *at == '.'))
                    at++;
                numbers += at < end;
            } else if (c == '{' || c == '[') {
                depth++;
                deepest = depth > deepest ? depth : deepest;
            } else if ((c == '}' || c == ']') && --depth < 0) {
                errors++;
                depth = 0;
            }
        }
        found[4 * id] = deepest;
        found[4 * id + 1] = strings;
        found[4 * id + 2] = numbers;
        found[4 * id + 3] = errors;
    }
}

LIMIT_LOOP(rle_blocks)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    LIMIT_BUFFER(int, lengths);

#pragma omp parallel for
    for (size_t id = 0; id < limit->size; id++) {
        const uint8_t *p = in + id * 64;
        uint8_t *q = out + id * 128 - 2;
        for (int i = 0; i < 64; i++) {
            if (i == 0 || p[i] != p[i - 1]) {
                q += 2;
                q[0] = 0;
                q[1] = p[i];
            }
            q[0]++;
        }
        lengths[id] = (int)(q + 2 - (out + id * 128));
    }
}

LIMIT_LOOP(count_words)
{
    LIMIT_BUFFER(const char, text);
    LIMIT_BUFFER(int, counts);

#pragma omp parallel for
    for (size_t g = 0; g < (limit->size + 255) / 256; g++) {
        int sum = 0;
        for (size_t i = g * 256; i < g * 256 + 256 && i < limit->size; i++)
            sum += text[i] > ' ' && !(i > 0 && text[i - 1] > ' ');
        counts[g] = sum;
    }
}

LIMIT_LOOP(find_pattern)
{
    LIMIT_BUFFER(const char, text);
    LIMIT_BUFFER(const char, pattern);
    LIMIT_BUFFER(uint8_t, matches);
    LIMIT_VALUE(int, length);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++)
        matches[i] = memcmp(text + i, pattern, (size_t)length) == 0;
}

LIMIT_FILL(parse_decimal)
{
    LIMIT_BUFFER(char, text);

    for (size_t i = 0; i < limit->size; i++) {
        char number[16];
        int value = (int)(i * 2654435761u >> (i % 23)) % 1000000;
        int length = snprintf(number, sizeof number, "%d,,,,,,,,", i % 3 ? value : -value);
        memcpy(text + 8 * i, number, length < 8 ? (size_t)length : 8);
    }
}

LIMIT_LOOP(parse_decimal)
{
    LIMIT_BUFFER(const char, text);
    LIMIT_BUFFER(int, values);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        char number[9] = "";
        memcpy(number, text + 8 * i, 8);
        values[i] = (int)strtol(number, NULL, 10);
    }
}

LIMIT_LOOP(utf8_decode)
{
    LIMIT_BUFFER(const uint8_t, bytes);
    LIMIT_BUFFER(uint32_t, points);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        uint8_t b = bytes[i];
        int more = b < 0x80 ? 0 : b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3;
        uint32_t point = b & (more == 0 ? 0x7f : more == 1 ? 0x1f : more == 2 ? 0x0f : 7);
        for (size_t k = 1; k <= (size_t)more; k++)
            point = point << 6 | (i + k < limit->size ? bytes[i + k] & 0x3f : 0);
        points[i] = (b & 0xc0) == 0x80 ? 0xffffffff : point;
    }
}
