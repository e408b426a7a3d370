// One token of each row through every block of a GPT: layer norm, attention over the cache, tanh-GELU, float32.
//
// Weights lie as torch has them, (out, in) row by row. Rows of the batch are taken four at a time, so that a weight that
// was fetched serves four of them; scores are the same product, of a query with the keys. Keys and values of a layer lie as (2, batch, head, room, channel).

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "eight.h"

namespace {

using Index = int64_t;

struct Block {
    const float *norm1, *shift1, *mix, *mixed, *out, *added;  // a null pointer stands for gains of 1, biases of 0
    const float *norm2, *shift2, *up, *raised, *down, *lowered;
    float* both;
};

struct Sizes {
    Index batch, depth, heads, width, hidden, room, first, end;
};

// e^x for x <= 0 by a polynomial, which the compiler can take many at once.
inline float exponential(float x) {
    float bounded = x < -87.0f ? -87.0f : x;
    float scaled = bounded * 1.44269504088896341f;
    float whole = std::nearbyint(scaled), part = (scaled - whole) * 0.69314718055994531f;
    float sum = 1.0f + part * (1.0f + part * (0.5f + part * (0.16666667f + part * (0.041666668f +
        part * (0.0083333338f + part * 0.0013888889f)))));
    int32_t bits = (static_cast<int32_t>(whole) + 127) << 23;
    float power;
    std::memcpy(&power, &bits, sizeof power);
    return x < -87.0f ? 0.0f : sum * power;
}

// A processor with registers of sixteen numbers takes rows of a multiple of sixteen by these.
#ifdef __AVX512F__
constexpr Index widest = 16;
#else
constexpr Index widest = 8;
#endif
template <Index lanes>
struct Vector {
    typedef float Lanes __attribute__((vector_size(lanes * sizeof(float))));
};
template <Index lanes>
using Lanes = typename Vector<lanes>::Lanes;

template <Index lanes>
inline Lanes<lanes> fetch(const float* from) {
    Lanes<lanes> value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class Half, class Whole>
inline Half halves(const Whole& value) {
    Half low, high;
    std::memcpy(&low, &value, sizeof low);
    std::memcpy(&high, reinterpret_cast<const char*>(&value) + sizeof low, sizeof high);
    return low + high;
}
inline Eight eight(Eight value) { return value; }
inline Eight eight(Lanes<16> value) { return halves<Eight>(value); }

inline float across(Eight value) {
    auto sum = halves<Lanes<4>>(value);
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// The products of `rows` rows of x with `outs` rows of w: sums enough under way at once that none waits for another.
template <Index lanes, int rows, int outs>
inline void tile(const float* x, const float* w, Index in, float (&sums)[rows][outs]) {
    constexpr int count = rows * outs;
    Lanes<lanes> under_way[count] = {};
    Index i = 0;
    for (; i + lanes <= in; i += lanes) {
        Lanes<lanes> left[rows];
        for (int r = 0; r < rows; ++r) left[r] = fetch<lanes>(x + r * in + i);
        for (int o = 0; o < outs; ++o) {
            Lanes<lanes> right = fetch<lanes>(w + o * in + i);
            for (int r = 0; r < rows; ++r) under_way[r * outs + o] += left[r] * right;
        }
    }
    float* sum = &sums[0][0];
    if constexpr (count % 8 == 0)
        for (int each = 0; each < count; each += 8) {
            Eight parts[8];
            for (int one = 0; one < 8; ++one) parts[one] = eight(under_way[each + one]);
            Eight done = eight_sums(parts);
            std::memcpy(sum + each, &done, sizeof done);
        }
    else
        for (int each = 0; each < count; ++each) sum[each] = across(eight(under_way[each]));
    for (; i < in; ++i)
        for (int each = 0; each < count; ++each) sum[each] += x[each / outs * in + i] * w[each % outs * in + i];
}

template <Index lanes, int rows, int outs>
inline void put(const float* x, const float* weight, const float* bias, float* y, Index in, Index out, Index o, bool add) {
    float sums[rows][outs];
    tile<lanes, rows, outs>(x, weight + o * in, in, sums);
    for (int r = 0; r < rows; ++r)
        for (int each = 0; each < outs; ++each) {
            float value = sums[r][each] + (bias ? bias[o + each] : 0.0f);
            float* target = y + r * out + o + each;
            *target = add ? *target + value : value;
        }
}

template <Index lanes, int rows, int outs>
void product(const float* x, const float* weight, const float* bias, float* y, Index in, Index out, Index from, Index to,
             bool add) {
    Index o = from;
    for (; o + outs <= to; o += outs) put<lanes, rows, outs>(x, weight, bias, y, in, out, o, add);
    for (; o < to; ++o) put<lanes, rows, 1>(x, weight, bias, y, in, out, o, add);
}

// y = x W^T + b for these outputs, or y += it.
template <Index lanes>
void linear_by(const float* x, const float* weight, const float* bias, float* y, Index batch, Index in, Index out,
               Index from, Index to, bool add) {
    Index row = 0;
    for (; row + 4 <= batch; row += 4)
        product<lanes, 4, lanes / 4>(x + row * in, weight, bias, y + row * out, in, out, from, to, add);
    for (; row < batch; ++row) product<lanes, 1, 8>(x + row * in, weight, bias, y + row * out, in, out, from, to, add);
}

void linear(const float* x, const float* weight, const float* bias, float* y, Index batch, Index in, Index out, Index from,
            Index to, bool add = false) {
    auto by = in % widest ? linear_by<8> : linear_by<widest>;
    by(x, weight, bias, y, batch, in, out, from, to, add);
}

void norm(const float* x, const float* gain, const float* shift, float* y, Index width) {
    float mean = 0, square = 0;
#pragma omp simd reduction(+ : mean)
    for (Index i = 0; i < width; ++i) mean += x[i];
    mean /= width;
#pragma omp simd reduction(+ : square)
    for (Index i = 0; i < width; ++i) square += (x[i] - mean) * (x[i] - mean);
    float scale = 1.0f / std::sqrt(square / width + 1e-5f);
    for (Index i = 0; i < width; ++i) {
        float value = (x[i] - mean) * scale;
        y[i] = (gain ? gain[i] * value : value) + (shift ? shift[i] : 0.0f);
    }
}

inline void gelu(float* x, Index from, Index to) {
    for (Index i = from; i < to; ++i) {
        float value = x[i], inner = 0.7978845608028654f * (value + 0.044715f * value * value * value);
        float power = exponential(-2.0f * std::fabs(inner));  // tanh by e^(-2|t|), which never overflows
        float tangent = std::copysign((1.0f - power) / (1.0f + power), inner);
        x[i] = 0.5f * value * (1.0f + tangent);
    }
}

// The sum of the values, weighted, for `width` channels that stay in registers; four sums, so that none waits for itself.
template <Index lanes, int width>
inline void gather(const float* weights, const float* values, float* y, Index first, Index end, Index d, float scale) {
    constexpr int parts = width / lanes, abreast = 4;
    Lanes<lanes> sums[abreast][parts] = {};
    auto take = [&](Index j, int which) {
        for (int part = 0; part < parts; ++part)
            sums[which][part] += weights[j] * fetch<lanes>(values + j * d + part * lanes);
    };
    Index j = first;
    for (; j + abreast <= end; j += abreast)
        for (int which = 0; which < abreast; ++which) take(j + which, which);
    for (; j < end; ++j) take(j, 0);
    for (int part = 0; part < parts; ++part) {
        Lanes<lanes> scaled = ((sums[0][part] + sums[1][part]) + (sums[2][part] + sums[3][part])) * scale;
        std::memcpy(y + part * lanes, &scaled, sizeof scaled);
    }
}

// std::max one by one waits for itself.
inline float largest(const float* x, Index count) {
    Eight under_way = Eight{} - INFINITY;
    Index i = 0;
    for (; i + 8 <= count; i += 8) {
        Eight next = fetch<8>(x + i);
        under_way = under_way > next ? under_way : next;
    }
    float most = -INFINITY;
    for (int lane = 0; lane < 8; ++lane) most = std::max(most, under_way[lane]);
    for (; i < count; ++i) most = std::max(most, x[i]);
    return most;
}

// Softmax attention of one query over the keys from `first` to `end`.
void look(const float* q, const float* keys, const float* values, float* y, float* scores, Index first, Index end, Index d) {
    float scale = 1.0f / std::sqrt(static_cast<float>(d)), total = 0;
    auto products = d % widest ? product<8, 1, 8> : product<widest, 1, 8>;
    products(q, keys, nullptr, scores, d, end, first, end, false);
    const float most = largest(scores + first, end - first);
#pragma omp simd reduction(+ : total)
    for (Index j = first; j < end; ++j) total += scores[j] = exponential(scale * (scores[j] - most));
    Index c = 0;
    for (; c + 32 <= d; c += 32) gather<widest, 32>(scores, values + c, y + c, first, end, d, 1.0f / total);
    for (; c + 8 <= d; c += 8) gather<8, 8>(scores, values + c, y + c, first, end, d, 1.0f / total);
    for (; c < d; ++c) {
        float sum = 0;
        for (Index j = first; j < end; ++j) sum += scores[j] * values[j * d + c];
        y[c] = sum / total;
    }
}

// Threads that have done their share wait here for the others; they spin, since the next share comes in microseconds.
struct Barrier {
    const int threads;
    std::atomic<int> arrived{0}, turn{0};
    void wait() {
        if (threads == 1) return;
        int now = turn.load();
        if (arrived.fetch_add(1) + 1 == threads) {
            arrived = 0;
            turn.fetch_add(1);
        } else {
            for (int spins = 0; turn.load() == now; ++spins)
                if (spins > 2000) std::this_thread::yield();
        }
    }
};

struct Work {
    const Sizes& s;
    const Block* blocks;
    float *x, *room;
    Barrier& barrier;

    void share(int part, int parts) const {
        const Index b = s.batch, c = s.width, h = s.hidden, d = c / s.heads;
        float *normed = room, *mixed = normed + b * c, *found = mixed + 3 * b * c, *hidden = found + b * c;
        float* scores = hidden + b * h + part * s.end;
        auto cut = [&](Index n, Index& from, Index& to) { from = n * part / parts, to = n * (part + 1) / parts; };
        Index from, to;
        for (Index layer = 0; layer < s.depth; ++layer) {
            const Block& one = blocks[layer];
            cut(b, from, to);
            for (Index r = from; r < to; ++r) norm(x + r * c, one.norm1, one.shift1, normed + r * c, c);
            barrier.wait();
            cut(3 * c, from, to);
            linear(normed, one.mix, one.mixed, mixed, b, c, 3 * c, from, to);
            barrier.wait();
            cut(b * s.heads, from, to);
            for (Index at = from; at < to; ++at) {
                Index row = at / s.heads, head = at % s.heads;
                const float* q = mixed + row * 3 * c + head * d;
                float *keys = one.both + at * s.room * d, *values = keys + b * s.heads * s.room * d;
                std::memcpy(keys + (s.end - 1) * d, q + c, d * sizeof(float));
                std::memcpy(values + (s.end - 1) * d, q + 2 * c, d * sizeof(float));
                look(q, keys, values, found + row * c + head * d, scores, s.first, s.end, d);
            }
            barrier.wait();
            cut(c, from, to);
            linear(found, one.out, one.added, x, b, c, c, from, to, true);
            barrier.wait();
            cut(b, from, to);
            for (Index r = from; r < to; ++r) norm(x + r * c, one.norm2, one.shift2, normed + r * c, c);
            barrier.wait();
            cut(h, from, to);
            linear(normed, one.up, one.raised, hidden, b, c, h, from, to);
            for (Index r = 0; r < b; ++r) gelu(hidden + r * h, from, to);
            barrier.wait();
            cut(c, from, to);
            linear(hidden, one.down, one.lowered, x, b, h, c, from, to, true);
            barrier.wait();
        }
    }
};

}  // namespace

// x (batch, width) is replaced by the tokens after the last block; `room` holds what lies between.
extern "C" void regard_step(const Sizes* sizes, const Block* blocks, float* x, float* room, int threads) {
    Barrier barrier{threads};
    Work work{*sizes, blocks, x, room, barrier};
    std::vector<std::thread> crew;
    for (int part = 1; part < threads; ++part) crew.emplace_back([&, part] { work.share(part, threads); });
    work.share(0, threads);
    for (auto& one : crew) one.join();
}
