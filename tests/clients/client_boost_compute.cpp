/* SPDX-License-Identifier: MIT */
/* Boost.Compute: sorts, scans, reductions, sets, random numbers and functions made of C++ expressions, against the
 * standard library on the host. */
#include <algorithm>
#include <boost/compute.hpp>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

namespace bc = boost::compute;

static int failed, passed;

static void
check(const char *name, bool good)
{
    (good ? passed : failed)++;
    if (!good)
        std::printf("FAILED %s\n", name);
}

template <typename T>
static std::vector<T>
back(const bc::vector<T> &v, bc::command_queue &queue)
{
    std::vector<T> host(v.size());
    bc::copy(v.begin(), v.end(), host.begin(), queue);
    return host;
}

template <typename T>
static void
sorts(const char *name, const std::vector<T> &data, bc::command_queue &queue)
{
    std::vector<T> want = data;
    bc::vector<T> v(data.begin(), data.end(), queue);
    std::sort(want.begin(), want.end());
    bc::sort(v.begin(), v.end(), queue);
    check(name, back(v, queue) == want);
    std::reverse(want.begin(), want.end());
    bc::sort(v.begin(), v.end(), bc::greater<T>(), queue);
    check(name, back(v, queue) == want);
}

BOOST_COMPUTE_FUNCTION(int, collatz, (int x), {
    int steps = 0;
    long n = x;
    while (n > 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
});

static int
collatz_here(int x)
{
    int steps = 0;
    for (long n = x; n > 1; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

int
main()
{
    bc::device device = bc::system::default_device();
    if (device.platform().name() != "Lanewise") {
        std::printf("not on Lanewise but %s\n", device.platform().name().c_str());
        return 1;
    }
    bc::context context(device);
    bc::command_queue queue(context, device);
    std::mt19937 random(1);
    const size_t n = 30011;
    std::vector<int> ints(n), ones(n);
    std::vector<unsigned> words(n);
    std::vector<float> floats(n);
    std::vector<double> doubles(n);
    for (size_t i = 0; i < n; i++) {
        ints[i] = int(random() % 20001) - 10000;
        ones[i] = int(random() % 50);
        words[i] = unsigned(random());
        floats[i] = float(ints[i]) / 7;
        doubles[i] = ints[i] / 9.0;
    }
    sorts("sort of int", ints, queue);
    sorts("sort of uint", words, queue);
    sorts("sort of float", floats, queue);
    sorts("sort of double", doubles, queue);
    bc::vector<int> v(ints.begin(), ints.end(), queue), w(n, context), keys(ones.begin(), ones.end(), queue);
    check("accumulate", bc::accumulate(v.begin(), v.end(), 0, queue) == std::accumulate(ints.begin(), ints.end(), 0));
    int most = 0;
    bc::reduce(v.begin(), v.end(), &most, bc::max<int>(), queue);
    check("reduce max", most == *std::max_element(ints.begin(), ints.end()));
    check("min_element", bc::min_element(v.begin(), v.end(), queue).read(queue) == *std::min_element(ints.begin(), ints.end()));
    check("count", bc::count(keys.begin(), keys.end(), 7, queue) == size_t(std::count(ones.begin(), ones.end(), 7)));
    std::vector<int> want(n);
    std::partial_sum(ints.begin(), ints.end(), want.begin());
    bc::inclusive_scan(v.begin(), v.end(), w.begin(), queue);
    check("inclusive_scan", back(w, queue) == want);
    bc::exclusive_scan(v.begin(), v.end(), w.begin(), 5, queue);
    for (size_t i = n; i-- > 1;)
        want[i] = want[i - 1] + 5;
    want[0] = 5;
    check("exclusive_scan", back(w, queue) == want);
    using bc::lambda::_1;
    bc::transform(v.begin(), v.end(), w.begin(), _1 * 3 - 1, queue);
    std::transform(ints.begin(), ints.end(), want.begin(), [](int x) { return x * 3 - 1; });
    check("transform", back(w, queue) == want);
    bc::transform(keys.begin(), keys.end(), w.begin(), collatz, queue);
    std::transform(ones.begin(), ones.end(), want.begin(), collatz_here);
    check("a function with a loop", back(w, queue) == want);
    auto end = bc::copy_if(v.begin(), v.end(), w.begin(), _1 > 100, queue);
    std::vector<int> kept;
    std::copy_if(ints.begin(), ints.end(), std::back_inserter(kept), [](int x) { return x > 100; });
    std::vector<int> got = back(w, queue);
    got.resize(size_t(end - w.begin()));
    check("copy_if", got == kept);
    bc::copy(v.begin(), v.end(), w.begin(), queue);
    bc::stable_partition(w.begin(), w.end(), _1 < 0, queue);
    want = ints;
    std::stable_partition(want.begin(), want.end(), [](int x) { return x < 0; });
    check("stable_partition", back(w, queue) == want);
    bc::vector<int> k2(ones.begin(), ones.end(), queue);
    bc::copy(v.begin(), v.end(), w.begin(), queue);
    bc::sort_by_key(k2.begin(), k2.end(), w.begin(), queue);
    std::vector<int> key_back = back(k2, queue);
    want = ones;
    std::sort(want.begin(), want.end());
    check("sort_by_key", key_back == want);
    bc::vector<int> sums(n, context), unique(n, context);
    bc::vector<int> sorted_ints(n, context);
    bc::fill(sorted_ints.begin(), sorted_ints.end(), 1, queue);
    auto ends = bc::reduce_by_key(k2.begin(), k2.end(), sorted_ints.begin(), unique.begin(), sums.begin(), queue);
    got = back(sums, queue);
    bool good = ends.first - unique.begin() == 50;
    for (int key = 0; key < 50 && good; key++)
        good = got[size_t(key)] == std::count(ones.begin(), ones.end(), key);
    check("reduce_by_key", good);
    bc::vector<int> copy(ints.begin(), ints.end(), queue);
    bc::sort(copy.begin(), copy.end(), queue);
    auto last = bc::unique(copy.begin(), copy.end(), queue);
    want = ints;
    std::sort(want.begin(), want.end());
    want.erase(std::unique(want.begin(), want.end()), want.end());
    got = back(copy, queue);
    got.resize(size_t(last - copy.begin()));
    check("unique", got == want);
    check("binary_search", bc::binary_search(copy.begin(), last, want[want.size() / 3], queue));
    bc::vector<float> uniform(n, context);
    bc::default_random_engine engine(queue);
    bc::uniform_real_distribution<float> draw(0, 1);
    draw.generate(uniform.begin(), uniform.end(), engine, queue);
    std::vector<float> drawn = back(uniform, queue);
    double mean = std::accumulate(drawn.begin(), drawn.end(), 0.0) / double(n);
    check("random numbers", std::fabs(mean - 0.5) < 0.02 && *std::min_element(drawn.begin(), drawn.end()) >= 0 &&
                                *std::max_element(drawn.begin(), drawn.end()) < 1);
    bc::vector<float> f(floats.begin(), floats.end(), queue), g(n, context);
    bc::transform(f.begin(), f.end(), g.begin(), bc::sqrt<float>(), queue);
    bc::transform(f.begin(), f.end(), g.begin(), bc::fabs<float>(), queue);
    bc::transform(g.begin(), g.end(), g.begin(), bc::sqrt<float>(), queue);
    std::vector<float> roots = back(g, queue);
    good = true;
    for (size_t i = 0; i < n; i++)
        good &= std::fabs(roots[i] - std::sqrt(std::fabs(floats[i]))) <= 1e-6f * roots[i];
    check("sqrt", good);
    std::printf("Boost.Compute: %d checks passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
