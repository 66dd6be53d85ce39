/* SPDX-License-Identifier: MIT */
/* Loops that end by what a compare-and-exchange of a constant finds: who waits by it for others, and who
 * does not. `table` is of 256 zeros. */
#define MASK 255

/* As hash tables are filled. */
kernel void
inserted(volatile global uint *table, global const uint *keys, global uint *seen)
{
    uint key = keys[get_global_id(0)], at = key * 2654435761u & MASK, old;
    for (;;) {
        old = atomic_cmpxchg(table + at, 0u, key);
        if (old == 0 || old == key)
            return;
        at = (at + 1) & MASK;
    }
}

/* What else is written may be of the table, where nobody knows that it is not. */
kernel void
beside(volatile global uint *table, global const uint *keys, global uint *seen)
{
    uint key = keys[get_global_id(0)], at = key * 2654435761u & MASK, old;
    do {
        old = atomic_cmpxchg(table + at, 0u, key);
        at = (at + 1) & MASK;
    } while (old != 0 && old != key);
    seen[get_global_id(0)] = old;
}

/* Four places each; nothing gives one back. */
kernel void
claimed(volatile global uint *table, global const uint *keys, global uint *seen)
{
    uint at = keys[get_global_id(0)] & MASK;
    for (int mine = 0; mine < 4; at = (at + 1) & MASK)
        mine += atomic_cmpxchg(table + at, 0u, 1u) == 0;
}

/* One of four places, which is given back. */
kernel void
lent(volatile global uint *table, global const uint *keys, global uint *seen)
{
    uint at = keys[get_global_id(0)] & 3;
    while (atomic_cmpxchg(table + at, 0u, 1u))
        at = (at + 1) & 3;
    seen[at + 4] = seen[at + 4] + 1;
    atomic_xchg(table + at, 0u);
}

/* The same, by a store. */
kernel void
lent_by_store(volatile global uint *table, global const uint *keys, global uint *seen)
{
    uint at = keys[get_global_id(0)] & 3;
    while (atomic_cmpxchg(table + at, 0u, 1u))
        at = (at + 1) & 3;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    seen[at + 4] = seen[at + 4] + 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    table[at] = 0;
}

/* The same, by an exchange of another constant. */
kernel void
lent_by_exchange(volatile global uint *table, global const uint *keys, global uint *seen)
{
    uint at = keys[get_global_id(0)] & 3;
    while (atomic_cmpxchg(table + at, 0u, 1u))
        at = (at + 1) & 3;
    atomic_inc(seen + at + 4);
    atomic_cmpxchg(table + at, 1u, 0u);
}

/* How some read: puts there what is there, and goes on while that is zero. */
kernel void
asked(volatile global uint *table, global const uint *keys, global uint *seen)
{
    if (get_global_id(0) == 0)
        atomic_xchg(table, 7u);
    while (atomic_cmpxchg(table, 0u, 0u) == 0)
        ;
}

/* The same, of a number that the compiler does not know. */
kernel void
asked_by_number(volatile global uint *table, global const uint *keys, global uint *seen)
{
    uint zero = keys[get_global_id(0)] >> 31;
    while (atomic_cmpxchg(table + 1, 0u, zero) == 0)
        if (get_global_id(0) == 0)
            atomic_cmpxchg(table + 1, 0u, 9u);
}
