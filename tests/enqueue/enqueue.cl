/* Device-side enqueue: every function, from one lane and from all, in divergent code. */
struct mixed {
    char c;
    int a[5];
    short s;
};

/* Odd work-items enqueue a child each, of as many work-items as their id says, that tells what it captured. */
kernel void captures(global int *out, global int *results)
{
    size_t i = get_global_id(0);
    struct mixed m = {(char)i, {1, 2, 3, (int)i, 5}, (short)(i * 3)};
    long wide = (long)i << 33;
    float4 f = (float4)(i, i + 1, i + 2, i + 3);
    uchar byte = (uchar)(i + 200);
    results[i] = 77;
    if (i % 2) {
        results[i] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(i % 7 + 1), ^{
            size_t k = get_global_id(0);
            int sum = m.c + m.a[0] + m.a[1] + m.a[2] + m.a[3] + m.a[4] + m.s + (int)(wide >> 33) + (int)(f.x + f.y + f.z + f.w) + byte;
            out[i * 8 + k] = sum + 1000 * (int)get_global_size(0);
        });
    }
}

/* Sums of the work-items' ids by local memory of sizes that the parent gives. */
kernel void locals(global int *out, int n, queue_t queue)
{
    int id = (int)get_global_id(0);
    if (id < n)
        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64, 32),
                       ^(local void *first, local void *second) {
                           local int *a = first;
                           local long *b = second;
                           uint l = get_local_id(0);
                           a[l] = (int)get_global_id(0) + id;
                           b[31 - l] = l;
                           barrier(CLK_LOCAL_MEM_FENCE);
                           if (l == 0) {
                               long sum = 0;
                               for (int k = 0; k < 32; k++)
                                   sum += a[k] * b[k];
                               out[id * 2 + get_group_id(0)] = (int)sum;
                           }
                       },
                       32 * sizeof(int), (uint)((32 + id) * sizeof(long)));
}

void descend(global int *count, int depth)
{
    if (depth > 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
            count[0] += depth;
            descend(count, depth - 1);
        });
}

kernel void recursion(global int *count, int depth)
{
    if (get_global_id(0) == 0)
        descend(count, depth);
}

/* A tree: each of `width` children has `width`, `depth` levels deep. */
void grow(global int *count, int width, int depth)
{
    atomic_inc(count + depth);
    if (depth > 0)
        for (int k = 0; k < width; k++)
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ grow(count, width, depth - 1); });
}

kernel void tree(global int *count, int width, int depth)
{
    if (get_global_id(0) == 0)
        grow(count, width, depth);
}

kernel void many(global int *out, int each)
{
    int id = (int)get_global_id(0);
    for (int k = 0; k < each; k++) {
        int place = id * each + k;
        if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[place] += place + 1; }))
            out[place] = -1;
    }
}

/* The flags: what the parent's work-items write behind the enqueue is there. */
kernel void waits(global int *in, global int *out, int n)
{
    size_t i = get_global_id(0), group = get_group_id(0), size = get_enqueued_local_size(0);
    if (i == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
            int sum = 0;
            for (int k = 0; k < n; k++)
                sum += in[k];
            out[0] = sum;
        });
    if (get_local_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{
            int sum = 0;
            for (size_t k = group * size; k < (group + 1) * size && k < (size_t)n; k++)
                sum += in[k];
            out[1 + group] = sum;
        });
    in[i] = (int)i + 3;
}

/* out[0] = 1 -> out[1] = 2 -> marker -> out[2] = 3 -> user event -> out[3] = 4; each adds to the one before. */
kernel void events(global int *out, global int *valid)
{
    queue_t q = get_default_queue();
    clk_event_t first, second, marker, last, user = create_user_event();
    global int *mine = out + 4 * get_global_id(0);
    int bad = 0;
    bad |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, &last, ^{ mine[3] = mine[2] + 1; });
    bad |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, NULL, &first, ^{ mine[0] = 1; });
    bad |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &first, &second, ^{ mine[1] = mine[0] + 1; });
    clk_event_t both[2] = {second, first};
    bad |= enqueue_marker(q, 2, both, &marker);
    bad |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &marker, NULL, ^{
        mine[2] = mine[1] + 1;
        set_user_event_status(user, CL_COMPLETE);
    });
    retain_event(first);
    release_event(first);
    valid[4 * get_global_id(0)] = is_valid_event(first) && is_valid_event(marker) && is_valid_event(user);
    release_event(first);
    release_event(second);
    release_event(marker);
    release_event(last);
    valid[4 * get_global_id(0) + 1] = bad;
}

/* As llvm-spirv-15 writes the nulls of opaque types: numbers that are converted and cast as pointers are. */
kernel void nulls(global int *out)
{
    clk_event_t none = CLK_NULL_EVENT, user = create_user_event();
    global int *mine = out + 4 * get_global_id(0);
    mine[0] = is_valid_event(none) + 2 * is_valid_reserve_id(CLK_NULL_RESERVE_ID);
    mine[1] = none == CLK_NULL_EVENT;
    mine[2] = user == CLK_NULL_EVENT;
    mine[3] = user != none && is_valid_event(user);
    release_event(user);
}

/* What waits for an event that fails does not run, nor what waits for that. */
kernel void failures(global int *out)
{
    queue_t q = get_default_queue();
    clk_event_t user = create_user_event(), next;
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, &next, ^{ out[0] = 1; });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &next, NULL, ^{ out[1] = 1; });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[2] = 1; });
    set_user_event_status(user, -5);
    release_event(user);
    release_event(next);
}

/* `count` events from an array whose length nobody knows when compiling. */
kernel void many_events(global int *out, int count)
{
    clk_event_t list[16], done;
    queue_t q = get_default_queue();
    count += (int)get_global_id(0) % 3;
    global int *mine = out + 20 * get_global_id(0);
    for (int k = 0; k < count; k++)
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &list[k], ^{ mine[k] = k + 1; });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), count, list, &done, ^{
        int sum = 0;
        for (int k = 0; k < count; k++)
            sum += mine[k];
        mine[19] = sum;
    });
    for (int k = 0; k < count; k++)
        release_event(list[k]);
    release_event(done);
}

kernel void unending(global int *out)
{
    clk_event_t user = create_user_event();
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, NULL, ^{ out[0] = 1; });
}

/* Ranges of one to three dimensions, with offsets. */
kernel void ranges(global int *out)
{
    size_t global2[2] = {5, 3}, local2[2] = {2, 2}, offset2[2] = {10, 20};
    size_t global3[3] = {4, 3, 2}, local3[3] = {4, 1, 2}, offset3[3] = {1, 2, 3};
    queue_t q = get_default_queue();
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(7, 10, 4), ^{
        out[get_global_id(0) - 7] = (int)(get_global_id(0) + 100 * get_local_size(0) + 1000 * get_work_dim() + 10000 * get_global_offset(0));
    });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(offset2, global2, local2), ^{
        out[16 + (get_global_id(0) - 10) + 5 * (get_global_id(1) - 20)] =
            (int)(get_local_size(0) + 10 * get_local_size(1) + 100 * get_group_id(0) + 1000 * get_work_dim());
    });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_3D(offset3, global3, local3), ^{
        out[32 + get_global_linear_id()] =
            (int)(get_global_id(0) + 10 * get_global_id(1) + 100 * get_global_id(2) + 1000 * get_work_dim());
    });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(global2), ^{ atomic_inc(out + 60); });
}

/* What is wrong is answered, and nothing runs. */
kernel void wrong(global int *results, global int *out, queue_t small)
{
    queue_t q = get_default_queue();
    size_t none[2] = {8, 0}, eight[2] = {8, 8}, two[2] = {8, 8};
    clk_event_t event = create_user_event(), gone = create_user_event();
    release_event(gone);
    results[0] = enqueue_kernel(q, (kernel_enqueue_flags_t)7, ndrange_1D(1), ^{ out[0] = 1; });
    results[1] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(two, none), ^{ out[0] = 1; });
    results[2] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(100000, 20000), ^{ out[0] = 1; });
    results[3] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(local void *p) { out[0] = 1; }, (uint)(get_global_size(0) - 1));
    results[4] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, NULL, NULL, ^{ out[0] = 1; });
    results[5] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &gone, NULL, ^{ out[0] = 1; });
    results[6] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, &event, NULL, ^{ out[0] = 1; });
    results[7] = is_valid_event(gone);
    results[8] = is_valid_event(event);
    set_user_event_status(event, CL_COMPLETE);
    release_event(event);
    release_event(event); /* once too often */
    int good = 0;
    for (int k = 0; k < 1000; k++)
        good += enqueue_kernel(small, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ atomic_inc(out + 1); }) == CLK_SUCCESS;
    results[9] = good;
    results[10] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(0), ^{ out[0] = 1; });
    results[11] = enqueue_marker(q, 1, &gone, &event);
}

kernel void no_queue(global int *results)
{
    results[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ results[1] = 1; });
}

kernel void profile(global ulong *times, global uint *work)
{
    clk_event_t event;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{
        uint x = 1;
        for (int k = 0; k < 100000; k++)
            x = x * 1664525u + 1013904223u + work[x % 16];
        work[16] = x;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
            uint y = 1;
            for (int k = 0; k < 100000; k++)
                y = y * 1664525u + 1013904223u + work[y % 16];
            work[17] = y;
        });
    });
    capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, times);
    release_event(event);
}
