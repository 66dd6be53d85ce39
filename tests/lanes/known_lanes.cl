/* SPDX-License-Identifier: MIT */
/* Stores and loads of lanes that are known when the kernel is compiled: one of two, four, eight; in the order
 * of memory, against it, apart from each other; of lanes whose places the others must not touch. */
#define EACH(type)                                                                                           \
    kernel void halves_##type(global type *out, global const type *in)                                       \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        if (i % 2 == 0)                                                                                      \
            out[i / 2] = in[i] + in[i ^ 1];                                                                  \
    }                                                                                                        \
    kernel void quarters_##type(global type *out, global const type *in)                                     \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        if ((i & 3) == 1)                                                                                    \
            out[i >> 2] = in[i] + in[i + 1];                                                                 \
    }                                                                                                        \
    kernel void back_##type(global type *out, global const type *in)                                         \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        if (i & 1)                                                                                           \
            out[(255 - i) / 2] = in[i];                                                                      \
    }                                                                                                        \
    kernel void pieces_##type(global type *out, global const type *in)                                       \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        if (!(i & 1))                                                                                        \
            out[(i & 4) * 40 + (i & ~7) / 4 + (i & 2) / 2] = in[i];                                          \
    }                                                                                                        \
    kernel void leaders_##type(global type *out, global const type *in)                                      \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        if ((i & 7) == 5)                                                                                    \
            out[i * 3 / 2] = in[i];                                                                          \
    }                                                                                                        \
    kernel void looked_up_##type(global type *out, global const type *in, global const int *at)              \
    {                                                                                                        \
        int i = get_global_id(0);                                                                            \
        type x = 5;                                                                                          \
        if ((i & 3) == 2)                                                                                    \
            x = in[at[i]];                                                                                   \
        out[i] = x;                                                                                          \
    }
EACH(uchar)
EACH(short)
EACH(int)
EACH(float)
EACH(long)
EACH(double)
