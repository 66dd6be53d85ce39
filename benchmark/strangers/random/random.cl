/* SPDX-License-Identifier: MIT */
/* Random numbers and what simulations make of them. */

static uint2
philox_round(uint2 c, uint key)
{
    uint high = mul_hi(0xD256D193u, c.x), low = 0xD256D193u * c.x;

    return (uint2)(high ^ key ^ c.y, low);
}

/* Philox 2 x 32, ten rounds, and a point in the unit square: pi. */
kernel void
philox_pi(global uint *hits, uint seed, int rounds)
{
    uint id = get_global_id(0), inside = 0;

    for (int i = 0; i < rounds; i++) {
        uint2 c = (uint2)(id, i);
        uint key = seed;
        for (int r = 0; r < 10; r++) {
            c = philox_round(c, key);
            key += 0x9E3779B9u;
        }
        float x = (c.x >> 8) * 0x1p-24f, y = (c.y >> 8) * 0x1p-24f;
        if (x * x + y * y < 1.0f)
            inside++;
    }
    hits[id] = inside;
}

/* xorshift128 with its state in memory, sixteen numbers a work-item. */
kernel void
xorshift128(global uint4 *states, global uint *numbers, uint n)
{
    uint gid = get_global_id(0);
    uint4 s = states[gid];

    for (int i = 0; i < 16; i++) {
        uint t = s.x ^ (s.x << 11);
        s.x = s.y;
        s.y = s.z;
        s.z = s.w;
        s.w = s.w ^ (s.w >> 19) ^ (t ^ (t >> 8));
        numbers[i * n + gid] = s.w;
    }
    states[gid] = s;
}

/* Numbers of a normal distribution from uniform ones, Box and Muller. */
kernel void
box_muller(global const float2 *uniform_numbers, global float2 *normal)
{
    int i = get_global_id(0);
    float2 u = uniform_numbers[i];
    float r = sqrt(-2.0f * log(u.x)), phi = 2.0f * M_PI_F * u.y;

    normal[i] = (float2)(r * cos(phi), r * sin(phi));
}

/* Paths of an option's price, 64-bit linear congruence a path. */
kernel void
option_paths(global const ulong *seeds, global double *payoffs, double s0, double strike, double drift, double vol, int steps)
{
    size_t i = get_global_id(0);
    ulong state = seeds[i];
    double s = s0, sum = 0;

    for (int t = 0; t < steps; ++t) {
        state = state * 6364136223846793005UL + 1442695040888963407UL;
        double u = (double)(state >> 11) * 0x1p-53;
        s *= 1.0 + drift + vol * (u - 0.5) * 3.4641016151377544;
        sum += s;
    }
    payoffs[i] = fmax(sum / steps - strike, 0.0);
}

/* Resampling of a particle filter: each particle looks for its place in the cumulated weights. */
kernel void
resample_search(global const float *cumulated, global const float *u, global const float2 *particles,
                global float2 *resampled, int n)
{
    int i = get_global_id(0), index = -1;

    for (int x = 0; x < n; x++)
        if (cumulated[x] >= u[i]) {
            index = x;
            break;
        }
    if (index == -1)
        index = n - 1;
    resampled[i] = particles[index];
}

/* Likelihoods of particles: a disk of offsets around each, bytes of an image. */
kernel void
particle_likelihood(global const float *xs, global const float *ys, global const int2 *disk, global const uchar *image,
                    global float *likelihood, int count, int width, int height)
{
    int i = get_global_id(0);
    float sum = 0;

    for (int k = 0; k < count; k++) {
        int x = convert_int_rte(xs[i]) + disk[k].x, y = convert_int_rte(ys[i]) + disk[k].y;
        int at = abs(y * width + x);
        if (at >= width * height)
            at = 0;
        sum += (pown((float)(image[at] - 100), 2) - pown((float)(image[at] - 228), 2)) / 50.0f;
    }
    likelihood[i] = sum / (float)count;
}

/* Ising: a checkerboard's half, flips by a table of chances. */
kernel void
ising_half(global char *spins, global const float *chances, global const float *uniform_numbers, int n, int colour)
{
    int x = get_global_id(0), y = get_global_id(1), at = y * n + x;

    if (((x + y) & 1) != colour)
        return;
    int sum = spins[y * n + (x + 1) % n] + spins[y * n + (x + n - 1) % n] + spins[(y + 1) % n * n + x] +
              spins[(y + n - 1) % n * n + x];
    if (uniform_numbers[at] < chances[(sum * spins[at] + 4) / 2])
        spins[at] = -spins[at];
}

/* Neutrons: cross sections looked up in a unionised grid of energies. */
kernel void
cross_sections(global const double *energies, global const double *grid, global const double4 *xs, global double4 *macro,
               int points, int nuclides)
{
    int i = get_global_id(0), low = 0, high = points - 1;
    double e = energies[i];
    double4 sum = 0;

    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (grid[mid] > e)
            high = mid;
        else
            low = mid;
    }
    double f = (grid[low + 1] - e) / (grid[low + 1] - grid[low]);
    for (int n = 0; n < nuclides; n++) {
        double4 a = xs[n * points + low], b = xs[n * points + low + 1];
        sum += (b - f * (b - a)) * (1.0 + n);
    }
    macro[i] = sum;
}
