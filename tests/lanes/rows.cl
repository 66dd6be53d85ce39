/* The kernels of rows.def: one for whole ranges, and one with a guard, for ranges that are too large. */
#define LANE get_sub_group_local_id()
#define COLUMN (uint)get_local_id(0)
#define ROW(name, in, out, in_count, out_count, statement)                                                   \
    kernel void name(global const in *a, global out *b, ulong w, ulong h)                                    \
    {                                                                                                        \
        size_t x = get_global_id(0), y = get_global_id(1);                                                   \
        statement;                                                                                           \
    }                                                                                                        \
    kernel void name##_guarded(global const in *a, global out *b, ulong w, ulong h)                          \
    {                                                                                                        \
        size_t x = get_global_id(0), y = get_global_id(1);                                                   \
        if (x < w && y < h) {                                                                                \
            statement;                                                                                       \
        }                                                                                                    \
    }
#include "rows.def"
