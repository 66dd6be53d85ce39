/* SPDX-License-Identifier: MIT */
/* Loops that serve one key a round: in each, those of a sub-group that have the round's key meet. So `out` has
 * for each work-item how many of its sub-group have its key, and at the end `count` how many there are of each. */

#define FIRST(key) sub_group_broadcast_first(key)
/* Those who come here together: one of them counts all. */
#define COUNT(key)                                                                                                 \
    do {                                                                                                           \
        r = sub_group_non_uniform_reduce_add(1);                                                                   \
        if (sub_group_elect())                                                                                     \
            atomic_add(&count[key], r);                                                                            \
    } while (0)
#define KERNEL(name) kernel void name(global const int *keys, global int *out, global int *count)
#define BEGIN                                                                                                      \
    size_t id = get_global_id(0);                                                                                  \
    int key = keys[id], r = 0;

KERNEL(until_done)
{
    BEGIN
    int done;
    do {
        done = 0;
        if (FIRST(key) == key) {
            COUNT(key);
            done = 1;
        }
    } while (!done);
    out[id] = r;
}

KERNEL(while_more)
{
    BEGIN
    bool more = true;
    while (more) {
        int first = FIRST(key);
        uint of_it = sub_group_ballot_bit_count(sub_group_ballot(key == first));
        if (key == first) {
            if (sub_group_elect())
                atomic_add(&count[key], (int)of_it);
            r = of_it;
            more = false;
        }
    }
    out[id] = r;
}

KERNEL(break_in_loop)
{
    BEGIN
    for (;;)
        if (FIRST(key) == key) {
            COUNT(key);
            break;
        }
    out[id] = r;
}

KERNEL(break_tested_before)
{
    BEGIN
    int done = 0;
    for (;;) {
        if (done)
            break;
        if (FIRST(key) == key) {
            COUNT(key);
            done = 1;
        }
    }
    out[id] = r;
}

KERNEL(tested_twice)
{
    BEGIN
    for (;;) {
        bool mine = FIRST(key) == key;
        if (mine)
            COUNT(key);
        if (mine)
            break;
    }
    out[id] = r;
}

KERNEL(known_rounds)
{
    BEGIN
    bool found = false;
    for (int k = 0; k < 8; k++) {
        if (key == k) {
            COUNT(k);
            found = true;
        }
        if (found)
            break;
    }
    out[id] = r;
}

KERNEL(states)
{
    BEGIN
    int state = 0;
    while (state != 2) {
        if (FIRST(key) == key) {
            COUNT(key);
            state = 2;
        } else
            state = 1;
    }
    out[id] = r;
}

KERNEL(served_keys)
{
    BEGIN
    int left = key;
    do {
        int first = FIRST(left);
        if (left == first) {
            COUNT(first);
            left = -1;
        }
    } while (left >= 0);
    out[id] = r;
}

KERNEL(returns)
{
    BEGIN
    while (true) {
        if (FIRST(key) == key) {
            COUNT(key);
            out[id] = r;
            return;
        }
    }
}

KERNEL(jumps)
{
    BEGIN
    for (;;) {
        if (FIRST(key) != key)
            continue;
        COUNT(key);
        goto served;
    }
served:
    out[id] = r;
}

/* An inner loop that others have left, in an outer one of two rounds. */
KERNEL(nested)
{
    BEGIN
    int all = 0;
    for (int k = 0; k < 2; k++) {
        int half_key = k ? key : -1 - key;
        for (;;)
            if (FIRST(half_key) == half_key) {
                int n = sub_group_non_uniform_reduce_add(1);
                if (k && sub_group_elect())
                    atomic_add(&count[key], n);
                all += n;
                break;
            }
    }
    out[id] = all / 2;
}

/* Both loops are left at once. */
KERNEL(out_of_both)
{
    BEGIN
    for (int round = 0;; round++) {
        for (int k = 0; k < 3; k++) {
            if (FIRST(key) == key) {
                COUNT(key);
                goto end;
            }
        }
    }
end:
    out[id] = r;
}

void
count_one(global int *count, int key, int *served)
{
    int r;
    COUNT(key);
    *served = r;
}

KERNEL(in_function)
{
    BEGIN
    while (r == 0) {
        if (FIRST(key) == key) {
            count_one(count, key, &r);
            break;
        }
    }
    out[id] = r;
}

/* The last test has one outcome for all who come to it, but others come to it in another round. */
KERNEL(known_in_an_arm)
{
    BEGIN
    for (int k = 0;; k++)
        if (key == (k & 7)) {
            int flag = 0;
            if (k >= 8) {
                r = sub_group_non_uniform_reduce_add(1);
                atomic_inc(&count[key]);
                flag = 1;
            }
            if (flag)
                break;
        }
    out[id] = r;
}

/* What is behind the break is not of its round. */
KERNEL(behind_too)
{
    BEGIN
    int together = 0;
    for (;;)
        if (FIRST(key) == key) {
            COUNT(key);
            if (r > 1000)
                together = -1;
            break;
        }
    together += sub_group_non_uniform_reduce_add(1);
    out[id] = together == (int)get_sub_group_size() ? r : -1;
}

/* The inner loop goes round for nobody: its way out is one of the outer loop's. */
KERNEL(jump_out_of_two)
{
    BEGIN
    for (;;) {
        int k = 0;
        do {
            k++;
            if (FIRST(key) == key) {
                COUNT(key);
                goto end;
            }
        } while (k < 1);
    }
end:
    out[id] = r;
}

/* Some leave the kernel, the others meet behind the loop. */
KERNEL(behind_returns)
{
    BEGIN
    int even = sub_group_non_uniform_reduce_add(key % 2 == 0), together;
    for (;;) {
        if (FIRST(key) == key) {
            COUNT(key);
            if (key % 2 == 1) {
                out[id] = r;
                return;
            }
            break;
        }
    }
    together = sub_group_non_uniform_reduce_add(1);
    out[id] = together == even ? r : -1;
}

/* The flag is known on each way back, and not the same on them. */
KERNEL(goes_on)
{
    BEGIN
    int done = 0, k = 0;
    while (!done && k++ < 64) {
        if (FIRST(key) != key)
            continue;
        done = 1;
        COUNT(key);
    }
    out[id] = r;
}

/* Two ways into a loop, with the one or the other known. */
KERNEL(entered_twice)
{
    BEGIN
    int odd = key & 1, wanted = sub_group_non_uniform_reduce_add(odd), turn, together, done;
    if (odd) {
        turn = 1;
        goto again;
    }
    wanted = get_sub_group_size() - wanted;
    turn = 0;
again:
    done = 0;
    if (turn) {
        together = sub_group_non_uniform_reduce_add(1);
        done = 1;
    }
    turn = 1;
    if (!done)
        goto again;
    while (r == 0)
        if (FIRST(key) == key)
            COUNT(key);
    out[id] = together == wanted ? r : -1;
}
