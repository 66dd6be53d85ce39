/* SPDX-License-Identifier: MIT */
/* Molecular dynamics, docking and other particles. REAL as in gemm.cl. */
#ifndef REAL
#define REAL float
#define REAL3 float3
#define REAL4 float4
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

/* Lennard-Jones over neighbour lists, structures of arrays of float4. */
kernel void
lj_neighbours(global REAL4 *force, global const REAL4 *position, const int neighbours, global const int *list,
              const REAL cut2, const REAL lj1, const REAL lj2, const int atoms)
{
    uint idx = get_global_id(0);
    REAL4 ipos = position[idx], f = {0, 0, 0, 0};

    for (int j = 0; j < neighbours; j++) {
        int jidx = list[j * atoms + idx];
        REAL4 jpos = position[jidx];
        REAL delx = ipos.x - jpos.x, dely = ipos.y - jpos.y, delz = ipos.z - jpos.z;
        REAL r2inv = delx * delx + dely * dely + delz * delz;

        if (r2inv < cut2) {
            r2inv = (REAL)1 / r2inv;
            REAL r6inv = r2inv * r2inv * r2inv;
            REAL f1 = r2inv * r6inv * (lj1 * r6inv - lj2);
            f.x += delx * f1;
            f.y += dely * f1;
            f.z += delz * f1;
        }
    }
    force[idx] = f;
}

/* Cells of up to 32 particles, a work-group a cell, neighbours' cells through local memory, as LavaMD-like codes. */
typedef struct {
    REAL v, x, y, z;
} Four;

kernel void
cells_exp(global const int *neighbours, global const Four *rv, global const REAL *charge, global Four *out, REAL a2)
{
    local Four mine[32], other[32];
    local REAL q[32];
    int box = get_group_id(0), t = get_local_id(0);
    Four sum = {0, 0, 0, 0};

    mine[t] = rv[box * 32 + t];
    for (int k = 0; k < 7; k++) {
        int b = neighbours[box * 7 + k];
        barrier(CLK_LOCAL_MEM_FENCE);
        other[t] = rv[b * 32 + t];
        q[t] = charge[b * 32 + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 32; j++) {
            REAL r2 = mine[t].v + other[j].v - (mine[t].x * other[j].x + mine[t].y * other[j].y + mine[t].z * other[j].z);
            REAL vij = exp(-a2 * r2), fs = (REAL)2 * vij;
            sum.v += q[j] * vij;
            sum.x += q[j] * fs * (mine[t].x - other[j].x);
            sum.y += q[j] * fs * (mine[t].y - other[j].y);
            sum.z += q[j] * fs * (mine[t].z - other[j].z);
        }
    }
    out[box * 32 + t] = sum;
}

/* A ligand in several poses before a protein: conditions on the kinds of atoms, transforms by matrices. */
typedef struct {
    float x, y, z;
    int type;
} Atom;
typedef struct {
    int hbtype;
    float radius, hphb, elsc;
} Params;

kernel void
docking_energy(global const Atom *protein, global const Atom *ligand, global const float *transforms,
               constant Params *forcefield, global float *energies, int natpro, int natlig, int poses)
{
    int p = get_global_id(0);
    float m[3][4], total = 0;

    for (int i = 0; i < 12; i++)
        m[i / 4][i % 4] = transforms[i * poses + p];
    for (int il = 0; il < natlig; il++) {
        const Atom la = ligand[il];
        const Params lp = forcefield[la.type];
        float lx = m[0][3] + la.x * m[0][0] + la.y * m[0][1] + la.z * m[0][2];
        float ly = m[1][3] + la.x * m[1][0] + la.y * m[1][1] + la.z * m[1][2];
        float lz = m[2][3] + la.x * m[2][0] + la.y * m[2][1] + la.z * m[2][2];
        for (int ip = 0; ip < natpro; ip++) {
            const Atom pa = protein[ip];
            const Params pp = forcefield[pa.type];
            float radij = pp.radius + lp.radius, x = lx - pa.x, y = ly - pa.y, z = lz - pa.z;
            float distij = sqrt(x * x + y * y + z * z), distbb = distij - radij;
            int zone1 = distbb < 0.0f;

            total += (1.0f - distij / radij) * (zone1 ? 2.0f * 38.0f : 0.0f);
            float chrg = lp.elsc * pp.elsc * (zone1 ? 1.0f : (1.0f - distbb * 0.25f)) * (distbb < 4.0f ? 1.0f : 0.0f);
            total += lp.hbtype == 70 && pp.hbtype == 70 ? chrg : -fabs(chrg) * 0.5f;
            float dslv = (pp.hphb + lp.hphb) * (distbb < 6.0f ? 1.0f : 0.0f);
            dslv *= zone1 ? 1.0f : (1.0f - distbb * (1.0f / 6.0f));
            total += dslv;
        }
    }
    energies[p] = total * 0.5f;
}

/* All pairs, positions through local memory tiles, rsqrt. */
kernel void
nbody_tiles(global const REAL4 *pos, global REAL4 *acc, int n, REAL eps2, local REAL4 *tile)
{
    int gid = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
    REAL4 p = pos[gid], a = (REAL4)((REAL)0.0);

    for (int i = 0; i < n / size; i++) {
        tile[lid] = pos[i * size + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < size; j++) {
            REAL4 r = tile[j] - p;
            REAL d2 = r.x * r.x + r.y * r.y + r.z * r.z + eps2;
            REAL inv = rsqrt(d2);
            a += tile[j].w * inv * inv * inv * r;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc[gid] = (REAL4)(a.xyz, (REAL)0.0);
}

/* Coulomb potential of atoms in constant memory on a grid. */
kernel void
coulomb_grid(constant REAL4 *atoms, global REAL *grid, int count, REAL spacing, REAL z)
{
    int xi = get_global_id(0), yi = get_global_id(1);
    REAL x = spacing * xi, y = spacing * yi, energy = (REAL)0.0;

    for (int a = 0; a < count; a++) {
        REAL dx = x - atoms[a].x, dy = y - atoms[a].y, dz = z - atoms[a].z;
        energy += atoms[a].w / sqrt(dx * dx + dy * dy + dz * dz);
    }
    grid[yi * get_global_size(0) + xi] += energy;
}

/* Smoothed particles in sorted cells: 9 neighbouring cells by start and end. */
kernel void
sph_density(global const float2 *pos, global const uint *starts, global float *density, int n, int cells, float h)
{
    int i = get_global_id(0);
    float2 p = pos[i];
    int cx = (int)p.x, cy = (int)p.y;
    float sum = 0;

    for (int y = max(cy - 1, 0); y <= min(cy + 1, cells - 1); y++)
        for (int x = max(cx - 1, 0); x <= min(cx + 1, cells - 1); x++) {
            uint c = y * cells + x;
            for (uint j = starts[c]; j < starts[c + 1]; j++) {
                float2 d = pos[j] - p;
                float q = h * h - dot(d, d);
                if (q > 0)
                    sum += q * q * q;
            }
        }
    density[i] = sum;
}

/* Leapfrog of particles in structures of seven floats, walls reflect. */
typedef struct {
    REAL x[3], v[3], mass;
} Particle;

kernel void
move_particles(global Particle *particles, global const REAL *forces, REAL dt, REAL box)
{
    global Particle *p = particles + get_global_id(0);

    for (int d = 0; d < 3; d++) {
        p->v[d] += forces[3 * get_global_id(0) + d] / p->mass * dt;
        p->x[d] += p->v[d] * dt;
        if (p->x[d] < 0) {
            p->x[d] = -p->x[d];
            p->v[d] = -p->v[d];
        } else if (p->x[d] > box) {
            p->x[d] = 2 * box - p->x[d];
            p->v[d] = -p->v[d];
        }
    }
}
