/* For sub-devices. */
kernel void local_ids(global int *out)
{
    out[get_global_id(0)] = (int)get_local_id(0);
}

/* How many work-groups are inside at once: state[0] now, state[1] at most. */
kernel void crowd(global int *state)
{
    if (get_local_id(0) != 0)
        return;
    atomic_max(&state[1], atomic_inc(&state[0]) + 1);
    for (volatile int i = 0; i < 100000; i++)
        ;
    atomic_dec(&state[0]);
}
