/* Poses of a ligand against a protein, several to a work-item: two loops that are left last, private arrays in both. */
typedef struct { float x, y, z; int index; } site;
typedef struct { int kind; float radius, phob, charge; } field;
kernel void dock(global const site *protein, global const site *ligand, global const float *angles, global float *results,
                 global const field *fields, int sites, int atoms, int poses)
{
    int at = get_group_id(0) * get_local_size(0) * P + get_local_id(0), lsz = get_local_size(0);
    at = at < poses ? at : poses - P;
    float sum[P]; float4 m[P][3];
    for (int k = 0; k < P; k++) {
        int p = at + k * lsz;
        float sx = sin(angles[p]), cx = cos(angles[p]), sy = sin(angles[p + poses]), cy = cos(angles[p + poses]);
        m[k][0] = (float4)(cy, sx * sy, -cx * sy, angles[p + 2 * poses]);
        m[k][1] = (float4)(0, cx, sx, angles[p + 2 * poses] * 2);
        m[k][2] = (float4)(sy, -sx * cy, cx * cy, angles[p + 2 * poses] * 3);
        sum[k] = 0;
    }
    int i = 0;
    do {
        site l = ligand[i]; field lf = fields[l.index & 15];
        bool lz = lf.phob < 0, lnz = lf.phob > 0;
        float lx[P], ly[P], lw[P];
        for (int k = 0; k < P; k++) {
            lx[k] = m[k][0].w + l.x * m[k][0].x + l.y * m[k][0].y + l.z * m[k][0].z;
            ly[k] = m[k][1].w + l.x * m[k][1].x + l.y * m[k][1].y + l.z * m[k][1].z;
            lw[k] = m[k][2].w + l.x * m[k][2].x + l.y * m[k][2].y + l.z * m[k][2].z;
        }
        int j = 0;
        do {
            site q = protein[j]; field qf = fields[q.index & 15];
            float radij = qf.radius + lf.radius, r_radij = 1.0f / radij;
            bool is_polar = (qf.kind & 1) == 0 && (lf.kind & 3) != 0;
            float elcdst = is_polar ? 4.0f : 2.0f, elcdst1 = is_polar ? 0.25f : 0.5f;
            bool both_f = (qf.kind & 1) == 0 && (lf.kind & 3) != 0;
            float p_hphb = qf.phob * (qf.phob < 0 && lnz ? -1.0f : 1.0f), l_hphb = lf.phob * (qf.phob > 0 && lz ? -1.0f : 1.0f);
            float distdslv = qf.phob < 0 ? (lz ? 5.5f : 1.0f) : (lz ? 1.0f : -3.4e38f), r_dd = 1.0f / distdslv;
            float chrg = lf.charge * qf.charge, dslv = p_hphb + l_hphb;
            for (int k = 0; k < P; k++) {
                float x = lx[k] - q.x, y = ly[k] - q.y, z = lw[k] - q.z, d = sqrt(x * x + y * y + z * z);
                float dbb = d - radij; bool z1 = dbb < 0;
                sum[k] += (1.0f - d * r_radij) * (z1 ? 76.0f : 0.0f);
                float e = chrg * ((z1 ? 1.0f : 1.0f - dbb * elcdst1) * (dbb < elcdst ? 1.0f : 0.0f));
                float ne = fabs(e); e = is_polar ? -ne : e;
                sum[k] += e * 45.0f;
                float c = 1.0f - dbb * r_dd, ds = dslv * ((dbb < distdslv && is_polar) ? 1.0f : 0.0f);
                ds *= (z1 ? 1.0f : c);
                sum[k] += ds;
            }
        } while (++j < sites);
    } while (++i < atoms);
    int td = get_group_id(0) * get_local_size(0) * P + get_local_id(0);
    if (td < poses)
        for (int k = 0; k < P; k++) results[td + k * lsz] = sum[k] * 0.5f;
}
