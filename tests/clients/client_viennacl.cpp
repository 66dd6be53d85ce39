/* SPDX-License-Identifier: MIT */
/* ViennaCL: vectors, dense and sparse matrices, solvers, scans, all generated kernels, against loops on the host. */
#define VIENNACL_WITH_OPENCL
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <vector>
#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/bicgstab.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/direct_solve.hpp>
#include <viennacl/linalg/gmres.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/lu.hpp>
#include <viennacl/linalg/maxmin.hpp>
#include <viennacl/linalg/norm_1.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/norm_inf.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/linalg/vector_operations.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/matrix_proxy.hpp>
#include <viennacl/vector.hpp>

static int failed, passed;

static void
check(const char *name, double got, double want, double tolerance)
{
    if (std::fabs(got - want) <= tolerance * (1 + std::fabs(want))) {
        passed++;
        return;
    }
    failed++;
    std::printf("FAILED %s: %.9g, expected %.9g\n", name, got, want);
}

template <typename T>
static std::vector<T>
numbers(size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> draw(-1, 1);
    std::vector<T> v(count);
    for (T &x : v)
        x = T(draw(random));
    return v;
}

template <typename T>
static void
vectors(double tolerance)
{
    const size_t n = 10007;
    std::vector<T> a = numbers<T>(n, 1), b = numbers<T>(n, 2), c(n);
    viennacl::vector<T> x(n), y(n), z(n);
    viennacl::copy(a, x);
    viennacl::copy(b, y);
    double dot = 0, one = 0, two = 0, most = 0, wrong = 0;
    for (size_t i = 0; i < n; i++) {
        dot += double(a[i]) * b[i];
        one += std::fabs(a[i]);
        two += double(a[i]) * a[i];
        most = std::fmax(most, std::fabs(a[i]));
    }
    check("inner_prod", T(viennacl::linalg::inner_prod(x, y)), dot, tolerance);
    check("norm_1", T(viennacl::linalg::norm_1(x)), one, tolerance);
    check("norm_2", T(viennacl::linalg::norm_2(x)), std::sqrt(two), tolerance);
    check("norm_inf", T(viennacl::linalg::norm_inf(x)), most, tolerance);
    z = T(2) * x - y / T(3);
    viennacl::copy(z, c);
    for (size_t i = 0; i < n; i++)
        wrong = std::fmax(wrong, std::fabs(2 * double(a[i]) - b[i] / 3.0 - c[i]));
    check("2 x - y / 3", wrong, 0, tolerance);
    z = viennacl::linalg::element_prod(x, viennacl::linalg::element_exp(y));
    viennacl::copy(z, c);
    wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong = std::fmax(wrong, std::fabs(double(a[i]) * std::exp(double(b[i])) - c[i]));
    check("x * exp(y)", wrong, 0, tolerance);
    /* Whole numbers: ViennaCL keeps the carry in an unsigned int, whatever the type. */
    for (size_t i = 0; i < n; i++)
        a[i] = T(i * 7 % 10);
    viennacl::copy(a, x);
    viennacl::linalg::inclusive_scan(x, z);
    viennacl::copy(z, c);
    double sum = 0;
    wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong = std::fmax(wrong, std::fabs((sum += a[i]) - c[i]));
    check("inclusive_scan", wrong, 0, tolerance);
}

template <typename T, typename Layout>
static void
matrices(const char *name, double tolerance)
{
    const size_t m = 129, k = 70, n = 93;
    std::vector<T> a = numbers<T>(m * k, 3), b = numbers<T>(k * n, 4), v = numbers<T>(k, 5), r(m);
    viennacl::matrix<T, Layout> A(m, k), B(k, n), C(m, n);
    std::vector<std::vector<T>> ha(m, std::vector<T>(k)), hb(k, std::vector<T>(n)), hc(m, std::vector<T>(n));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < k; j++)
            ha[i][j] = a[i * k + j];
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < n; j++)
            hb[i][j] = b[i * n + j];
    viennacl::copy(ha, A);
    viennacl::copy(hb, B);
    C = viennacl::linalg::prod(A, B);
    viennacl::copy(C, hc);
    double wrong = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double want = 0;
            for (size_t l = 0; l < k; l++)
                want += double(ha[i][l]) * hb[l][j];
            wrong = std::fmax(wrong, std::fabs(want - hc[i][j]));
        }
    check(name, wrong, 0, tolerance);
    viennacl::vector<T> x(k), y(m);
    viennacl::copy(v, x);
    y = viennacl::linalg::prod(A, x);
    viennacl::copy(y, r);
    wrong = 0;
    for (size_t i = 0; i < m; i++) {
        double want = 0;
        for (size_t l = 0; l < k; l++)
            want += double(ha[i][l]) * v[l];
        wrong = std::fmax(wrong, std::fabs(want - r[i]));
    }
    check("matrix by vector", wrong, 0, tolerance);
}

/* A tridiagonal system by every solver; what is left is computed here. */
template <typename T>
static void
systems(double tolerance)
{
    const size_t n = 400;
    std::vector<std::map<unsigned, T>> rows(n);
    std::vector<T> right = numbers<T>(n, 6), solution(n);
    for (unsigned i = 0; i < n; i++) {
        rows[i][i] = T(4);
        if (i)
            rows[i][i - 1] = T(-1);
        if (i + 1 < n)
            rows[i][i + 1] = T(-1);
    }
    viennacl::compressed_matrix<T> A(n, n);
    viennacl::copy(rows, A);
    viennacl::vector<T> b(n), x(n);
    viennacl::copy(right, b);
    for (int way = 0; way < 4; way++) {
        static const char *const names[] = {"cg", "bicgstab", "gmres", "lu"};
        if (way == 0)
            x = viennacl::linalg::solve(A, b, viennacl::linalg::cg_tag(1e-8, 200));
        else if (way == 1)
            x = viennacl::linalg::solve(A, b, viennacl::linalg::bicgstab_tag(1e-8, 200));
        else if (way == 2)
            x = viennacl::linalg::solve(A, b, viennacl::linalg::gmres_tag(1e-8, 200, 30));
        else {
            std::vector<std::vector<T>> full(n, std::vector<T>(n));
            for (size_t i = 0; i < n; i++)
                for (auto &entry : rows[i])
                    full[i][entry.first] = entry.second;
            viennacl::matrix<T> M(n, n);
            viennacl::copy(full, M);
            x = b;
            viennacl::linalg::lu_factorize(M);
            viennacl::linalg::lu_substitute(M, x);
        }
        viennacl::copy(x, solution);
        double left = 0;
        for (size_t i = 0; i < n; i++) {
            double sum = -double(right[i]);
            for (auto &entry : rows[i])
                sum += double(entry.second) * solution[entry.first];
            left = std::fmax(left, std::fabs(sum));
        }
        check(names[way], left, 0, tolerance);
    }
}

int
main()
{
    std::string platform = viennacl::ocl::current_device().driver_version() + " " + viennacl::ocl::get_platforms()[0].info();
    if (platform.find("Lanewise") == std::string::npos) {
        std::printf("not on Lanewise but %s\n", platform.c_str());
        return 1;
    }
    vectors<float>(1e-4);
    vectors<double>(1e-10);
    matrices<float, viennacl::row_major>("product of rows", 1e-4);
    matrices<float, viennacl::column_major>("product of columns", 1e-4);
    matrices<double, viennacl::row_major>("product in double", 1e-11);
    systems<float>(1e-4);
    systems<double>(1e-6);
    std::printf("ViennaCL: %d checks passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
