/* The kernels of forms.def: one for whole ranges, and one with a guard, for ranges that are too large. */
constant uint shuffled[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

#define global_memory global
#define no_peeling _Pragma("nounroll")
#define FORM(name, in, out, in_count, out_count, statement)                                                  \
    kernel void name(global const in *a, global out *b, uint n)                                              \
    {                                                                                                        \
        uint i = get_global_id(0);                                                                           \
        statement;                                                                                           \
    }                                                                                                        \
    kernel void name##_guarded(global const in *a, global out *b, uint n)                                    \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        if (i < n) {                                                                                         \
            statement;                                                                                       \
        }                                                                                                    \
    }
#include "forms.def"
