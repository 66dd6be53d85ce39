/* SPDX-License-Identifier: MIT */
/* Built-ins by the dozen: atomics, conversions, OpenCL.std, sub-group and work-group functions. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void a(global int *p, global uint *u, local int *l, global long *q, global ulong*uq, global float *f, global half *h, int sel)
{
 int *g = sel ? (int*)p : (int*)l;
    atomic_add(p,1);
    atomic_sub(p,1);
    atomic_inc(p);
    atomic_dec(u);
    atomic_xchg(p,1);
    atomic_cmpxchg(p,1,2);
    atomic_min(p,1);
    atomic_max(u,1u);
    atomic_and(p,1);atomic_or(p,1);atomic_xor(p,1);
    atomic_xchg(f,1.0f);
    atomic_min(l,2);
 atom_add(q,1);
    atom_sub(q,1);
    atom_inc(q);
    atom_dec(q);
    atom_xchg(q,1);
    atom_cmpxchg(q,1,2);
    atom_min(q,1);
    atom_max(uq,1ul);
    atom_and(q,1);
    atom_or(q,1);atom_xor(q,1);
 atom_add(p,1);
    atom_inc(u);
 atomic_fetch_min((global atomic_int*)p,1);
    atomic_fetch_max((global atomic_uint*)u,1u);
    atomic_fetch_min((global atomic_long*)q,1L);
    atomic_fetch_max((global atomic_ulong*)uq,1ul);
    atomic_fetch_min_explicit((global atomic_long*)q,1L,memory_order_relaxed,memory_scope_device);
    atomic_fetch_add_explicit((global atomic_long*)q,1L,memory_order_relaxed,memory_scope_device);
 atomic_flag_test_and_set((global atomic_flag*)p);
    atomic_flag_clear((global atomic_flag*)p);
    atomic_init((global atomic_int*)p,1);
 atomic_store((global atomic_float*)f, 1.0f);
    f[1]=atomic_load((global atomic_float*)f);
    f[2]=atomic_exchange((global atomic_float*)f,2.0f);
 atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,memory_order_acq_rel,memory_scope_device);
    mem_fence(CLK_LOCAL_MEM_FENCE);
    read_mem_fence(CLK_LOCAL_MEM_FENCE);
    
 global int *gg = to_global(g);
    local int *ll = to_local(g);
    private int *pp=to_private(g);
    if(gg) gg[1]=2;
    if(ll) ll[1]=2;
    if(pp) pp[0]=3;
    p[9]=get_fence(g);
}
kernel void b(global float *f, global half *h,global int*p, global char4*c, global float4*f4, global double*d, global uchar*uc, global short*s)
{
 h[0]=convert_half_rtz(f[0]);
    h[1]=convert_half(f[1]);
    p[0]=convert_int_sat_rte(f[2]);
    c[0]=convert_char4_sat_rtp(f4[0]);
    f[4]=convert_float_rtn(d[0]);
    uc[0]=convert_uchar_sat(p[3]);
    s[0]=convert_short_sat(p[1]);
    f[9]=convert_float_rtz(p[4]);
    d[1]=convert_double(f[2]);
    h[2]=convert_half_rtp(d[2]);
    h[3]=convert_half_rtn(p[2]);
    f4[1]=convert_float4(c[1]);
    p[8]=convert_int(h[1]);
    p[9]=convert_int_rtz(h[2]);
    uc[1]=convert_uchar_sat(h[2]);
 p[1]=as_int(f[1]);
    vstore_half_rtz(f[0],1,h);
    vstore_half4(f4[0],1,h);
    f4[2]=vload_half4(2,h);
    vstorea_half4_rte(f4[0],3,h);
    f4[3]=vload4(4,f);
    vstore3(vload3(2,f),1,f);
    f[0]=vload_half(1,h);
    f[3]=vloada_half2(1,h).x;
 float x;
    f[2]=fract(f[0],&x);
    f[1]+=x;
    int y;
    f[2]=frexp(f[1],&y);
    p[0]=y;
    f[3]=sincos(f[0],&x);
    f[4]=x;
    f[5]=remquo(f[1],f[2],&y);
    p[2]=y;
    f[1]=lgamma_r(f[4],&y);
    p[1]+=y;
    f[1]=modf(f[2],&x);f[2]+=x;
    f4[0]=ldexp(f4[1],3);
    f4[1]=pown(f4[2],convert_int4(c[0]));
    f[7]=nan(3u);
    f[8]=length(f4[0])+dot(f4[1],f4[2])+distance(f4[0],f4[3]);
    f4[4]=normalize(f4[5]);
    p[5]=any(convert_int4(c[1]));
    p[6]=all(convert_int4(c[1]));
    f4[6]=shuffle(f4[0],(uint4)(1,2,3,0));
    f4[6]=shuffle2(f4[0],f4[1],(uint4)(1,p[1],3,0));
    f4[7]=select(f4[1],f4[2],convert_int4(c[1]));
    f4[8]=bitselect(f4[1],f4[2],f4[3]);
    p[6]=isnan(f[1]);
    p[7]=signbit(f[2]);
    c[4]=upsample((char)1,uc[0]);prefetch(f,3);
    p[8]=isordered(f[1],f[2]);
    f4[9]=clamp(f4[0],0.0f,1.0f);
    f4[9]=step(0.5f,f4[0]);
    f4[7]=fmin(f4[0],1.0f);
    f4[2]=mix(f4[0],f4[1],0.3f);
    p[10]=popcount(p[3]);
    p[9]=clz(p[2])+ctz(p[1]);
    p[11]=mad24(p[1],p[2],p[3])+mul24(p[4],p[4])+mul_hi(p[1],p[5])+add_sat(p[1],p[3])+hadd(p[1],p[2])+rotate(p[1],3)+abs_diff(p[1],p[2]);
    p[12]=ilogb(f[1]);
}
kernel void cc(global int *p, global float*f, global uint4*u4, global half*h, global float4*f4, global char*c) {
 p[0]=sub_group_shuffle(p[1],3)+sub_group_shuffle_xor(p[1],1)+sub_group_shuffle_up(p[1],1)+sub_group_shuffle_down(p[2],1);
    u4[0]=sub_group_ballot(p[1]);
    p[3]=sub_group_all(p[1])+sub_group_any(p[2]);
    p[4]=sub_group_elect();
    p[5]=sub_group_non_uniform_all_equal(f[1]);
    f[1]=sub_group_clustered_reduce_add(f[2],4u);
    f[2]=sub_group_non_uniform_scan_inclusive_add(f[3]);
    p[6]=sub_group_ballot_bit_count(u4[1])+sub_group_ballot_find_lsb(u4[2])+sub_group_inverse_ballot(u4[0])+sub_group_ballot_inclusive_scan(u4[1])+sub_group_ballot_bit_extract(u4[0],3u);
    u4[4]=get_sub_group_eq_mask();
    h[0]=sub_group_reduce_add(h[1]);
    p[8]=work_group_all(p[1])+work_group_any(p[1])+work_group_broadcast(p[1],1,2)+work_group_scan_exclusive_max(p[3]);
    f[9]=work_group_reduce_min(f[1]);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    p[10]=sub_group_broadcast(p[1],2)+sub_group_non_uniform_broadcast(p[3],4)+sub_group_broadcast_first(p[5]);
    f4[1]=sub_group_non_uniform_broadcast(f4[2],1);
    c[1]=sub_group_scan_exclusive_add(c[2]);
    p[11]=sub_group_non_uniform_reduce_logical_and(p[1]);
    p[12]=sub_group_non_uniform_reduce_mul(p[1])+sub_group_non_uniform_reduce_xor(p[1]);
    
 p[13]=get_enqueued_local_size(0)+get_global_linear_id()+get_num_sub_groups()+get_enqueued_num_sub_groups()+get_local_size(p[1])+get_group_id(5);
}
