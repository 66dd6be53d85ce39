/* SPDX-License-Identifier: MIT */
/* Bytes: encodings and scanners, branch after branch, written for one thread that happens to be many. */

constant char base64_letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Three bytes to four letters, one group a work-item. */
kernel void
base64_encode(global const uchar *in, global uchar *out)
{
    size_t i = get_global_id(0);
    uint bits = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];

    out[4 * i] = base64_letters[bits >> 18];
    out[4 * i + 1] = base64_letters[bits >> 12 & 63];
    out[4 * i + 2] = base64_letters[bits >> 6 & 63];
    out[4 * i + 3] = base64_letters[bits & 63];
}

static uchar
letter_value(uchar c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    else if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    else if (c >= '0' && c <= '9')
        return c - '0' + 52;
    else if (c == '+')
        return 62;
    else if (c == '/')
        return 63;
    return 255;
}

kernel void
base64_decode(global const uchar4 *in, global uchar *out, global int *bad)
{
    size_t i = get_global_id(0);
    uchar a = letter_value(in[i].x), b = letter_value(in[i].y), c = letter_value(in[i].z), d = letter_value(in[i].w);

    if (a == 255 || b == 255 || c == 255 || d == 255) {
        atomic_inc(bad);
        return;
    }
    out[3 * i] = a << 2 | b >> 4;
    out[3 * i + 1] = b << 4 | c >> 2;
    out[3 * i + 2] = c << 6 | d;
}

/* JSON-like: counts values, the depth and strings of a document a work-item, with a small state machine. */
kernel void
json_scan(global const char *text, global int4 *found, int length)
{
    int id = get_global_id(0), depth = 0, deepest = 0, strings = 0, numbers = 0, errors = 0;
    global const char *at = text + id * length;
    enum { NORMAL, STRING, ESCAPE, NUMBER } state = NORMAL;

    for (int i = 0; i < length; i++) {
        char c = at[i];
        switch (state) {
        case ESCAPE:
            state = STRING;
            continue;
        case STRING:
            if (c == '\\')
                state = ESCAPE;
            else if (c == '"') {
                state = NORMAL;
                strings++;
            }
            continue;
        case NUMBER:
            if ((c >= '0' && c <= '9') || c == '.')
                continue;
            numbers++;
            state = NORMAL;
            break;
        default:
            break;
        }
        if (c == '{' || c == '[') {
            depth++;
            deepest = max(deepest, depth);
        } else if (c == '}' || c == ']') {
            if (--depth < 0) {
                errors++;
                depth = 0;
            }
        } else if (c == '"') {
            state = STRING;
        } else if (c >= '0' && c <= '9') {
            state = NUMBER;
        }
    }
    found[id] = (int4)(deepest, strings, numbers, errors);
}

/* Run-length coding of blocks of 64 bytes, each into its own place. */
kernel void
rle_blocks(global const uchar *in, global uchar *out, global int *lengths)
{
    int id = get_global_id(0);
    const global uchar *p = in + id * 64;
    global uchar *q = out + id * 128;
    int n = 0, i = 0;

    while (i < 64) {
        uchar c = p[i];
        int run = 1;
        while (i + run < 64 && p[i + run] == c)
            run++;
        q[n++] = run;
        q[n++] = c;
        i += run;
    }
    lengths[id] = n;
}

/* Words are counted where a letter follows none: neighbours of the bytes before. */
kernel void
count_words(global const char *text, global int *counts, int n)
{
    local int sum;
    int i = get_global_id(0), t = get_local_id(0);

    if (t == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) {
        bool here = text[i] > ' ', before = i > 0 && text[i - 1] > ' ';
        if (here && !before)
            atomic_inc(&sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0)
        counts[get_group_id(0)] = sum;
}

/* Naive search: where a pattern of 8 bytes begins. */
kernel void
find_pattern(global const char *text, constant char *pattern, global uchar *matches, int length)
{
    int i = get_global_id(0);

    for (int j = 0; j < length; j++)
        if (text[i + j] != pattern[j]) {
            matches[i] = 0;
            return;
        }
    matches[i] = 1;
}

/* Decimal numbers of 8 bytes to int and back, as loaders of CSV files have it. */
kernel void
parse_decimal(global const char *text, global int *values)
{
    int id = get_global_id(0), value = 0, i = id * 8;
    bool negative = text[i] == '-';

    if (negative)
        i++;
    while (i < id * 8 + 8 && text[i] >= '0' && text[i] <= '9')
        value = value * 10 + (text[i++] - '0');
    values[id] = negative ? -value : value;
}

/* UTF-8 to code points, four bytes at most from each position that begins one. */
kernel void
utf8_decode(global const uchar *bytes, global uint *points, int n)
{
    int i = get_global_id(0);
    uchar b = bytes[i];
    uint point;

    if ((b & 0xc0) == 0x80) {
        points[i] = 0xffffffff;
        return;
    }
    if (b < 0x80)
        point = b;
    else if (b < 0xe0)
        point = (b & 0x1f) << 6 | (i + 1 < n ? bytes[i + 1] & 0x3f : 0);
    else if (b < 0xf0)
        point = (b & 0x0f) << 12 | (i + 1 < n ? bytes[i + 1] & 0x3f : 0) << 6 | (i + 2 < n ? bytes[i + 2] & 0x3f : 0);
    else
        point = (b & 0x07) << 18 | (i + 1 < n ? bytes[i + 1] & 0x3f : 0) << 12 |
                (i + 2 < n ? bytes[i + 2] & 0x3f : 0) << 6 | (i + 3 < n ? bytes[i + 3] & 0x3f : 0);
    points[i] = point;
}
