/* SPDX-License-Identifier: MIT */
/* CUDA programs after a mechanical port: macros for threadIdx, one-dimensional indices taken apart, warps of 32. */
#ifndef REAL
#define REAL float
#define REAL2 float2
#define REAL3 float3
#define REAL4 float4
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#define threadIdx_x ((int)get_local_id(0))
#define blockIdx_x ((int)get_group_id(0))
#define blockDim_x ((int)get_local_size(0))
#define gridDim_x ((int)get_num_groups(0))
#define __syncthreads() barrier(CLK_LOCAL_MEM_FENCE)

#ifdef __opencl_c_subgroups
/* Layer normalisation: a block a row, sums by shuffles in sub-groups, then local memory. */
kernel void
layernorm_shuffle(global float *out, global const float *in, global const float *weight, global const float *bias, int C)
{
    local float shared_sum[32], shared_sq[32];
    int warp = get_sub_group_id(), warps = get_num_sub_groups(), lane = get_sub_group_local_id();
    global const float *x = in + blockIdx_x * C;
    float sum = 0.0f, sq = 0.0f;

    for (int i = threadIdx_x; i < C; i += blockDim_x) {
        float v = x[i];
        sum += v;
        sq += v * v;
    }
    sum = sub_group_reduce_add(sum);
    sq = sub_group_reduce_add(sq);
    if (lane == 0) {
        shared_sum[warp] = sum;
        shared_sq[warp] = sq;
    }
    __syncthreads();
    sum = sq = 0.0f;
    for (int i = 0; i < warps; i++) {
        sum += shared_sum[i];
        sq += shared_sq[i];
    }
    float m = sum / C, s = rsqrt(sq / C - m * m + 1e-5f);
    for (int i = threadIdx_x; i < C; i += blockDim_x)
        out[blockIdx_x * C + i] = s * (x[i] - m) * weight[i] + bias[i];
}
#endif

/* Softmax of rows, the maximum and the sum online, one thread a row. */
kernel void
softmax_online(global REAL *out, global const REAL *inp, int N, int C)
{
    int i = blockIdx_x * blockDim_x + threadIdx_x;

    if (i < N) {
        global const REAL *row = inp + i * C;
        REAL maxval = -INFINITY, sum = (REAL)0.0;
        for (int j = 0; j < C; j++) {
            REAL prev = maxval;
            if (row[j] > maxval) {
                maxval = row[j];
                sum = sum * exp(prev - maxval) + (REAL)1.0;
            } else {
                sum += exp(row[j] - maxval);
            }
        }
        for (int j = 0; j < C; j++)
            out[i * C + j] = exp(row[j] - maxval) / sum;
    }
}

/* Attention scores: index taken apart into batch, head, two positions; causal mask. */
kernel void
attention_scores(global float *preatt, global const float *inp, int B, int T, int C, int NH)
{
    int idx = blockIdx_x * blockDim_x + threadIdx_x;
    int total = B * NH * T * T;

    if (idx < total) {
        int t2 = idx % T, t = (idx / T) % T;
        if (t2 > t) {
            preatt[idx] = -INFINITY;
            return;
        }
        int h = (idx / (T * T)) % NH, b = idx / (NH * T * T);
        int hs = C / NH;
        global const float *query = inp + b * T * C * 3 + t * C * 3 + h * hs;
        global const float *key = inp + b * T * C * 3 + t2 * C * 3 + h * hs + C;
        float val = 0.0f;
        for (int i = 0; i < hs; i++)
            val += query[i] * key[i];
        preatt[idx] = val / sqrt((float)hs);
    }
}

/* Permutation of four dimensions, / and % by arguments. */
kernel void
permute_4d(global REAL *q, global const REAL *inp, int B, int N, int NH, int d)
{
    int idx = blockIdx_x * blockDim_x + threadIdx_x;

    if (idx < B * NH * N * d) {
        int b = idx / (NH * N * d), rest = idx % (NH * N * d);
        int nh = rest / (N * d);
        rest = rest % (N * d);
        int n = rest / d, dd = rest % d;
        q[idx] = inp[(b * N * NH * d) + (n * NH * d) + (nh * d) + dd];
    }
}

kernel void
adamw_update(global REAL *params, global const REAL *grads, global REAL *m_memory, global REAL *v_memory, long count,
             REAL rate, REAL beta1, REAL beta2, REAL correction1, REAL correction2, REAL eps, REAL decay)
{
    int i = blockIdx_x * blockDim_x + threadIdx_x;

    if (i >= count)
        return;
    REAL grad = grads[i], m = m_memory[i], v = v_memory[i];
    m = beta1 * m + ((REAL)1.0 - beta1) * grad;
    m_memory[i] = m;
    v = beta2 * v + ((REAL)1.0 - beta2) * grad * grad;
    v_memory[i] = v;
    m /= correction1;
    v /= correction2;
    params[i] -= rate * (m / (sqrt(v) + eps) + decay * params[i]);
}

/* Convolution of a network, an output element a thread: batch, channel, row, column from one index. */
kernel void
conv2d_direct(global const REAL *x, global const REAL *w, global const REAL *b, global REAL *y, int channels, int h,
              int width, int filters)
{
    int idx = blockIdx_x * blockDim_x + threadIdx_x;
    int ho = h - 2, wo = width - 2;
    int ox = idx % wo, oy = idx / wo % ho, f = idx / (wo * ho) % filters, n = idx / (wo * ho * filters);
    REAL acc = b[f];

    for (int c = 0; c < channels; c++)
        for (int ky = 0; ky < 3; ky++)
            for (int kx = 0; kx < 3; kx++)
                acc += x[((n * channels + c) * h + oy + ky) * width + ox + kx] * w[((f * channels + c) * 3 + ky) * 3 + kx];
    y[idx] = fmax(acc, (REAL)0.0);
}

/* im2col, and max pooling. */
kernel void
im2col(const int n, global const REAL *data_im, const int height, const int width, const int ksize, const int pad,
       const int stride, const int height_col, const int width_col, global REAL *data_col)
{
    int index = blockIdx_x * blockDim_x + threadIdx_x;

    for (; index < n; index += blockDim_x * gridDim_x) {
        int w_out = index % width_col, h_index = index / width_col;
        int h_out = h_index % height_col, channel_in = h_index / height_col;
        int channel_out = channel_in * ksize * ksize;
        int h_in = h_out * stride - pad, w_in = w_out * stride - pad;
        global REAL *col = data_col + (channel_out * height_col + h_out) * width_col + w_out;
        global const REAL *im = data_im + (channel_in * height + h_in) * width + w_in;
        for (int i = 0; i < ksize; ++i)
            for (int j = 0; j < ksize; ++j) {
                int h = h_in + i, w = w_in + j;
                *col = h >= 0 && w >= 0 && h < height && w < width ? im[i * width + j] : 0;
                col += height_col * width_col;
            }
    }
}

kernel void
maxpool_index(global const REAL *in, global REAL *out, global int *where, int w, int h, int channels, int side)
{
    int id = blockIdx_x * blockDim_x + threadIdx_x;
    int ow = w / side, oh = h / side;

    if (id >= ow * oh * channels)
        return;
    int j = id % ow, i = (id / ow) % oh, k = id / (ow * oh), best = -1;
    REAL most = -INFINITY;
    for (int l = 0; l < side; l++)
        for (int m = 0; m < side; m++) {
            int at = (i * side + l) * w + j * side + m + k * w * h;
            if (in[at] > most) {
                most = in[at];
                best = at;
            }
        }
    out[id] = most;
    where[id] = best;
}

/* An embedding's gradient: float addition by compare and exchange, as before there were float atomics. */
kernel void
embedding_grad(global const int *ids, global const float *grad, volatile global float *table, int dim)
{
    int id = blockIdx_x * blockDim_x + threadIdx_x;
    volatile global uint *address = (volatile global uint *)(table + ids[id / dim] * dim + id % dim);
    uint old = *address, assumed;

    do {
        assumed = old;
        old = atomic_cmpxchg(address, assumed, as_uint(as_float(assumed) + grad[id]));
    } while (old != assumed);
}
