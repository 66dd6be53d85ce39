/* SPDX-License-Identifier: MIT */
/* Lattice Boltzmann and other grids as physicists write them: everything in one kernel, one work-item a cell. */
#ifndef REAL
#define REAL float
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

/* D2Q9, pull, periodic, distributions plane after plane, obstacles bounce back. */
kernel void
lbm_d2q9(global const REAL *f, global REAL *g, global const uchar *solid, int nx, int ny, REAL omega)
{
    const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    const int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const REAL w[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
    const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
    int x = get_global_id(0), y = get_global_id(1), n = nx * ny;
    REAL in[9], rho = 0, ux = 0, uy = 0;

    for (int i = 0; i < 9; i++) {
        int sx = (x - ex[i] + nx) % nx, sy = (y - ey[i] + ny) % ny;
        in[i] = f[i * n + sy * nx + sx];
        rho += in[i];
        ux += in[i] * ex[i];
        uy += in[i] * ey[i];
    }
    if (solid[y * nx + x]) {
        for (int i = 0; i < 9; i++)
            g[i * n + y * nx + x] = in[opposite[i]];
        return;
    }
    ux /= rho;
    uy /= rho;
    for (int i = 0; i < 9; i++) {
        REAL eu = ex[i] * ux + ey[i] * uy;
        REAL equilibrium = w[i] * rho * ((REAL)1 + (REAL)3 * eu + (REAL)4.5 * eu * eu - (REAL)1.5 * (ux * ux + uy * uy));
        g[i * n + y * nx + x] = in[i] + omega * (equilibrium - in[i]);
    }
}

/* D3Q19, a cell's values together (array of structures), push; flat index taken apart. */
constant int C19[19][3] = {{0, 0, 0},  {1, 0, 0},  {-1, 0, 0}, {0, 1, 0},   {0, -1, 0}, {0, 0, 1},  {0, 0, -1},
                           {1, 1, 0},  {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0},  {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
                           {-1, 0, 1}, {0, 1, 1},  {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};

kernel void
lbm_d3q19(global const float *src, global float *dst, int sx, int sy, int sz, float omega)
{
    int id = get_global_id(0);
    int x = id % sx, y = (id / sx) % sy, z = id / (sx * sy);
    global const float *cell = src + 19 * id;
    float rho = 0, ux = 0, uy = 0, uz = 0;

    for (int i = 0; i < 19; i++) {
        rho += cell[i];
        ux += C19[i][0] * cell[i];
        uy += C19[i][1] * cell[i];
        uz += C19[i][2] * cell[i];
    }
    ux /= rho;
    uy /= rho;
    uz /= rho;
    float usq = 1.5f * (ux * ux + uy * uy + uz * uz);
    for (int i = 0; i < 19; i++) {
        float weight = i == 0 ? 1.0f / 3.0f : i < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
        float eu = C19[i][0] * ux + C19[i][1] * uy + C19[i][2] * uz;
        float feq = weight * rho * (1.0f + 3.0f * eu + 4.5f * eu * eu - usq);
        int tx = (x + C19[i][0] + sx) % sx, ty = (y + C19[i][1] + sy) % sy, tz = (z + C19[i][2] + sz) % sz;
        dst[19 * (tx + sx * (ty + sy * tz)) + i] = (1.0f - omega) * cell[i] + omega * feq;
    }
}

/* Heat on a plate, tile with halo in local memory, edges by min and max. */
#define TILE 16
kernel void
hotspot_tile(global const REAL *power, global const REAL *from, global REAL *to, int cols, int rows, REAL cap,
             REAL rx, REAL ry, REAL rz)
{
    local REAL t[TILE + 2][TILE + 2];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    int at = y * cols + x;

    t[ly + 1][lx + 1] = from[at];
    if (lx == 0)
        t[ly + 1][0] = from[y * cols + max(x - 1, 0)];
    if (lx == TILE - 1)
        t[ly + 1][TILE + 1] = from[y * cols + min(x + 1, cols - 1)];
    if (ly == 0)
        t[0][lx + 1] = from[max(y - 1, 0) * cols + x];
    if (ly == TILE - 1)
        t[TILE + 1][lx + 1] = from[min(y + 1, rows - 1) * cols + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    REAL c = t[ly + 1][lx + 1];
    to[at] = c + cap * (power[at] + (t[ly + 2][lx + 1] + t[ly][lx + 1] - (REAL)2.0 * c) * ry +
                        (t[ly + 1][lx + 2] + t[ly + 1][lx] - (REAL)2.0 * c) * rx + ((REAL)80.0 - c) * rz);
}

/* Speckle reducing diffusion, neighbours' rows from index arrays, exp and division. */
kernel void
srad_coefficients(global const float *image, global const int *north, global const int *south,
                  global const int *west, global const int *east, global float *coefficient, int nr, int nc, float q0)
{
    int ei = get_global_id(0);

    if (ei >= nr * nc)
        return;
    int row = (ei + 1) % nr - 1, col = (ei + 1) / nr + 1 - 1;
    if ((ei + 1) % nr == 0) {
        row = nr - 1;
        col = col - 1;
    }
    float jc = image[ei];
    float dn = image[north[row] + nr * col] - jc, ds = image[south[row] + nr * col] - jc;
    float dw = image[row + nr * west[col]] - jc, de = image[row + nr * east[col]] - jc;
    float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (jc * jc);
    float l = (dn + ds + dw + de) / jc;
    float num = (0.5f * g2) - ((1.0f / 16.0f) * (l * l));
    float den = 1 + (0.25f * l);
    float q = num / (den * den);
    den = (q - q0) / (q0 * (1 + q0));
    float c = 1.0f / (1.0f + den);
    coefficient[ei] = c < 0 ? 0 : c > 1 ? 1 : c;
}

/* Seven points in three dimensions, x along dimension 0, z in a loop. */
kernel void
stencil_7_loop(REAL c0, REAL c1, global const REAL *A0, global REAL *Anext, int nx, int ny, int nz)
{
    int i = get_global_id(0) + 1, j = get_global_id(1) + 1;

    if (i >= nx - 1 || j >= ny - 1)
        return;
    for (int k = 1; k < nz - 1; k++) {
#define INDEX3D(x, y, z) ((x) + (y) * nx + (z) * nx * ny)
        Anext[INDEX3D(i, j, k)] = (A0[INDEX3D(i, j, k + 1)] + A0[INDEX3D(i, j, k - 1)] + A0[INDEX3D(i, j + 1, k)] +
                                   A0[INDEX3D(i, j - 1, k)] + A0[INDEX3D(i + 1, j, k)] + A0[INDEX3D(i - 1, j, k)]) * c1 -
                                  A0[INDEX3D(i, j, k)] * c0;
    }
}

/* Life, bytes, on a torus. */
kernel void
life(global const uchar *in, global uchar *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1), n = 0;

    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0)
                n += in[((y + dy + h) % h) * w + (x + dx + w) % w];
    out[y * w + x] = n == 3 || (n == 2 && in[y * w + x]);
}

/* A wave equation with sponge layers, branch on the distance to the border. */
kernel void
wave_sponge(global const REAL *p, global const REAL *p_old, global REAL *p_new, global const REAL *c2, int nx, int ny,
            int width)
{
    int gid = get_global_id(0);
    int i = gid % nx, j = gid / nx;

    if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1) {
        p_new[gid] = 0;
        return;
    }
    REAL lap = p[gid - 1] + p[gid + 1] + p[gid - nx] + p[gid + nx] - (REAL)4 * p[gid];
    REAL value = (REAL)2 * p[gid] - p_old[gid] + c2[gid] * lap;
    int d = min(min(i, nx - 1 - i), min(j, ny - 1 - j));
    if (d < width) {
        REAL s = (REAL)(width - d) / (REAL)width;
        value *= exp(-(REAL)0.1 * s * s);
    }
    p_new[gid] = value;
}
