// Sums over the edges of a graph, forwards and backwards, without a message per edge and channel.
//
// Memory order: nodes (batch, node, head, channel), edges (batch, edge, head), edges sorted by target.
// A side of the graph is `rows` nodes; row r owns entries start[r] to start[r + 1]; entry t leads to node other[t] and
// is edge place[t] (or t itself where place is null). The forward side has targets as rows, the transpose has sources.
// Rows are shared out among threads; each row is summed by one thread in a fixed order, so results do not depend on
// their number.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "eight.h"

namespace {

using Index = int64_t;

struct Side {
    Index rows, others, edges;
    const Index *start, *other, *place;
    Index edge(Index entry) const { return place ? place[entry] : entry; }
};

constexpr Index block = 128;        // rows that a thread takes at a time; BLOCK in native.py
constexpr Index worth = 1 << 18;    // multiplications below which a second thread costs more than it saves
constexpr Index ahead = 16;         // entries between asking for a node's values and using them

template <class Body>
void share(Index rows, Index work, int threads, const Body& body) {
    std::atomic<Index> next{0};
    auto labour = [&] {
        for (Index first; (first = next.fetch_add(block)) < rows;) body(first, std::min(rows, first + block));
    };
    Index helpers = std::min<Index>(threads, 1 + std::min(work / worth, rows / block)) - 1;
    std::vector<std::thread> crew;
    try {
        for (Index i = 0; i < helpers; ++i) crew.emplace_back(labour);
    } catch (const std::system_error&) {  // no more threads to be had: those there are do it all
    }
    labour();
    for (auto& one : crew) one.join();
}

// Asks for the values that an entry some way ahead, in this row or the next ones, will need.
template <class T>
inline void expect(const Side& side, Index entry, const T* values, Index width) {
    if (entry + ahead >= side.edges) return;
    const char* row = reinterpret_cast<const char*>(values + side.other[entry + ahead] * width);
    for (Index byte = 0; byte < width * Index(sizeof(T)); byte += 64) __builtin_prefetch(row + byte);
}

// e^x for x <= 0. The polynomial lets the compiler take many at once, which std::exp does not; below -87 a float's e^x
// is not a normal number and counts as zero.
inline float exponential(float x) {
    float bounded = x < -87.0f ? -87.0f : x;
    float whole = std::nearbyint(bounded * 1.44269504088896341f);
    float rest = std::fma(whole, -0.693359375f, bounded);
    rest = std::fma(whole, 2.12194440e-4f, rest);
    float series = 1.0f / 5040;
    series = std::fma(series, rest, 1.0f / 720);
    series = std::fma(series, rest, 1.0f / 120);
    series = std::fma(series, rest, 1.0f / 24);
    series = std::fma(series, rest, 1.0f / 6);
    series = std::fma(series, rest, 0.5f);
    series = std::fma(series, rest, 1.0f);
    series = std::fma(series, rest, 1.0f);
    int32_t bits = (static_cast<int32_t>(whole) + 127) << 23;
    float power;
    std::memcpy(&power, &bits, sizeof power);
    return x < -87.0f ? 0.0f : series * power;
}
inline double exponential(double x) { return std::exp(x); }

// Compile-time sizes where given, run-time sizes where 0. Ask for them inside the loops' own function: a size that was
// put into a variable outside has to be fetched from memory, and the compiler no longer knows it.
template <int H, int C>
struct Sizes {
    static constexpr int cells = H * C;
    Index h, c;
    Index heads() const { return H ? H : h; }
    Index channels() const { return C ? C : c; }
};

// Where a row is summed up: in place, or, where its size is known and small, beside it, which the compiler keeps in
// registers.
template <class T, int cells>
struct Sum {
    T held[cells];
    T* begin(T*) { return held; }
    void end(T* row) const { std::copy(held, held + cells, row); }
};
template <class T>
struct Sum<T, 0> {
    T* begin(T* row) { return row; }
    void end(T*) const {}
};

template <class Body>
void sized(Index heads, Index channels, const Body& body) {
    if (heads == 8 && channels == 8) body(Sizes<8, 8>{heads, channels});
    else if (heads == 1 && channels == 16) body(Sizes<1, 16>{heads, channels});
    else if (heads == 1 && channels == 64) body(Sizes<1, 64>{heads, channels});
    else body(Sizes<0, 0>{heads, channels});
}

template <class T>
inline T dot(const T* a, const T* b, Index count) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

// out_k = a_k . b_k for every head
template <class T, class S>
inline void dot_heads(const S& sizes, const T* a, const T* b, T* out) {
    if constexpr (std::is_same_v<T, float> && std::is_same_v<S, Sizes<8, 8>>) {
        Eight products[8], left, right;
        for (int k = 0; k < 8; ++k) {
            std::memcpy(&left, a + 8 * k, sizeof left);
            std::memcpy(&right, b + 8 * k, sizeof right);
            products[k] = left * right;
        }
        left = eight_sums(products);
        std::memcpy(out, &left, sizeof left);
    } else {
        const Index channels = sizes.channels();
        for (Index k = 0; k < sizes.heads(); ++k) out[k] = dot(a + k * channels, b + k * channels, channels);
    }
}

template <class T>
inline void add(T* sum, T factor, const T* values, Index count) {
#pragma omp simd
    for (Index i = 0; i < count; ++i) sum[i] += factor * values[i];
}

// out_r = outer_r * sum over entries of inner_o * values_o; the channels of a row as `heads` pieces of one size
template <class T>
void sum_scaled(const Side& side, Index h, Index c, const T* outer, const T* inner, const T* values, T* out,
                int threads) {
    sized(h, c, [&](auto sizes) {
        share(side.rows, side.edges * h * c, threads, [&](Index first, Index end) {
            const Index heads = sizes.heads(), channels = sizes.channels(), width = heads * channels;
            Sum<T, decltype(sizes)::cells> held;
            for (Index r = first; r < end; ++r) {
                T* sum = held.begin(out + r * width);
                std::fill(sum, sum + width, T(0));
                for (Index t = side.start[r]; t < side.start[r + 1]; ++t) {
                    expect(side, t, values, width);
                    const T *value = values + side.other[t] * width, factor = inner[side.other[t]];
#pragma GCC unroll 8
                    for (Index k = 0; k < heads; ++k) add(sum + k * channels, factor, value + k * channels, channels);
                }
                for (Index i = 0; i < width; ++i) sum[i] *= outer[r];
                held.end(out + r * width);
            }
        });
    });
}

// out_r = sum over entries of weight_e * values_o, head by head
template <class T>
void sum_weighted(const Side& side, Index h, Index c, const T* weights, const T* values, T* out, int threads) {
    sized(h, c, [&](auto sizes) {
        share(side.rows, side.edges * h * c, threads, [&](Index first, Index end) {
            const Index heads = sizes.heads(), channels = sizes.channels(), width = heads * channels;
            Sum<T, decltype(sizes)::cells> held;
            for (Index r = first; r < end; ++r) {
                T* sum = held.begin(out + r * width);
                Index last = side.start[r + 1];
                std::fill(sum, sum + width, T(0));
                for (Index t = side.start[r]; t < last; ++t) {
                    expect(side, t, values, width);
                    const T *weight = weights + side.edge(t) * heads, *value = values + side.other[t] * width;
#pragma GCC unroll 8
                    for (Index k = 0; k < heads; ++k)
                        add(sum + k * channels, weight[k], value + k * channels, channels);
                }
                held.end(out + r * width);
            }
        });
    });
}

// out_e = q_r . k_o, head by head
template <class T>
void dots(const Side& side, Index h, Index c, const T* q, const T* k, T* out, int threads) {
    sized(h, c, [&](auto sizes) {
        share(side.rows, side.edges * h * c, threads, [&](Index first, Index end) {
            const Index heads = sizes.heads(), width = heads * sizes.channels();
            for (Index r = first; r < end; ++r)
                for (Index t = side.start[r], last = side.start[r + 1]; t < last; ++t) {
                    expect(side, t, k, width);
                    dot_heads(sizes, q + r * width, k + side.other[t] * width, out + side.edge(t) * heads);
                }
        });
    });
}

// What backward needs of a target, side by side so that one look fetches all: its part of the score, the largest score,
// one over the sum of exponentials, and <output gradient, output>.
enum Kept { part, peak, inverse, slack, kept };

// scores = leaky(z), and their largest per head
template <class T>
inline void score(Index heads, const T* left, const T* right, const T* term, T slope, T* scores, T* most) {
#pragma omp simd
    for (Index k = 0; k < heads; ++k) {
        T z = left[k] + right[k] + term[k];
        z = z > 0 ? z : slope * z;
        scores[k] = z;
        most[k] = most[k] >= z ? most[k] : z;
    }
}

// z_e = left_r + right_o + term_e;  s = leaky(z);  p = softmax of s over the row;  out_r = sum of keep_e p_e values_o
// Where lifted is asked for, it is the same sum over the entries with s > 0, and raised the sum of their p.
template <class T>
void additive_forward(const Side& side, Index h, Index c, const T* right, const T* term, const T* keep, const T* values,
                      T slope, T* lifted, T* raised, T* memory, T* out, int threads) {
    sized(h, c, [&](auto sizes) {
        auto rows = [&](auto lifts) { share(side.rows, side.edges * h * c, threads, [&](Index first, Index end) {
            const Index heads = sizes.heads(), channels = sizes.channels(), width = heads * channels;
            Sum<T, decltype(sizes)::cells> sums_held, lifts_held;
            std::vector<T> scratch, total(heads), above(heads), over(heads), zeros(heads, T(0));
            for (Index r = first; r < end; ++r) {
                const Index begin = side.start[r], count = side.start[r + 1] - begin;
                const Index* other = side.other + begin;
                T *own = memory + r * kept * heads, *most = own + peak * heads, *sum = sums_held.begin(out + r * width);
                std::fill(sum, sum + width, T(0));
                std::fill(most, most + heads, -std::numeric_limits<T>::infinity());
                std::fill(total.begin(), total.end(), T(0));
                std::fill(over.begin(), over.end(), T(0));
                T* lift = lifts ? lifts_held.begin(lifted + r * width) : nullptr;
                if (lifts) std::fill(lift, lift + width, T(0));
                if (Index(scratch.size()) < count * heads) scratch.resize(count * heads);
                for (Index t = 0; t < count; ++t)
                    score(heads, own + part * heads, right + other[t] * heads,
                          term ? term + (begin + t) * heads : zeros.data(), slope, scratch.data() + t * heads, most);
                // Where every score is -inf there is nothing to take off, and nothing weighs anything.
                for (Index k = 0; k < heads; ++k) most[k] = most[k] == -std::numeric_limits<T>::infinity() ? T(0) : most[k];
                for (Index t = 0; t < count; ++t) {
                    expect(side, begin + t, values, width);
                    T *weight = scratch.data() + t * heads, *sums = total.data(), *up = above.data(), *ups = over.data();
#pragma omp simd
                    for (Index k = 0; k < heads; ++k) {
                        const T p = exponential(weight[k] - most[k]);
                        if (lifts) up[k] = weight[k] > 0 ? p : T(0);
                        sums[k] += weight[k] = p;
                        if (lifts) ups[k] += up[k];
                    }
                    if (keep)
                        for (Index k = 0; k < heads; ++k) {
                            weight[k] *= keep[(begin + t) * heads + k];
                            if (lifts) up[k] *= keep[(begin + t) * heads + k];
                        }
                    const T* value = values + other[t] * width;
#pragma GCC unroll 8
                    for (Index k = 0; k < heads; ++k)
                        add(sum + k * channels, weight[k], value + k * channels, channels);
                    if (lifts)
#pragma GCC unroll 8
                        for (Index k = 0; k < heads; ++k)
                            add(lift + k * channels, up[k], value + k * channels, channels);
                }
                for (Index k = 0; k < heads; ++k) {
                    T share = own[inverse * heads + k] = total[k] != 0 ? 1 / total[k] : T(0);
                    for (Index i = 0; i < channels; ++i) sum[k * channels + i] *= share;
                    if (!lifts) continue;
                    raised[r * heads + k] = over[k] * share;
                    for (Index i = 0; i < channels; ++i) lift[k * channels + i] *= share;
                }
                sums_held.end(out + r * width);
                if (lifts) lifts_held.end(lifted + r * width);
            }
        }); };
        if (lifted) rows(std::true_type{}); else rows(std::false_type{});
    });
}

// weights = keep p, and changes (on entry <gradient, values>) = the gradient of z
template <class T>
inline void unscore(Index heads, const T* seen, const T* right, const T* term, const T* keep, T slope, T* weights,
                    T* changes, T* total) {
#pragma omp simd
    for (Index k = 0; k < heads; ++k) {
        T z = seen[part * heads + k] + right[k] + term[k];
        T p = exponential((z > 0 ? z : slope * z) - seen[peak * heads + k]) * seen[inverse * heads + k];
        T change = p * (keep[k] * changes[k] - seen[slack * heads + k]) * (z > 0 ? T(1) : slope);
        weights[k] = p * keep[k];
        changes[k] = change;
        total[k] += change;
    }
}

// Rows are the sources here. Gives the gradients of the values, of the sources' part, and of each edge's z where it is
// asked for. That of the targets' part is the sum of a row's; the gradients of its scores s add up to nothing, so the sum
// is (1 - slope) times that over the entries with s > 0, for which the forward pass has kept what is needed.
template <class T>
void additive_backward(const Side& side, Index h, Index c, const T* right, const T* term, const T* keep, const T* values,
                       T slope, const T* lifted, const T* raised, T* memory, const T* out, const T* upstream, T* to_left,
                       T* to_edges, T* to_right, T* to_values, int threads) {
    sized(h, c, [&](auto sizes) {
        share(side.others, side.others * h * c, threads, [&](Index first, Index end) {
            const Index heads = sizes.heads(), channels = sizes.channels();
            for (Index i = first * heads; i < end * heads; ++i) {
                const T less = dot(upstream + i * channels, out + i * channels, channels);
                memory[(i / heads * kept + slack) * heads + i % heads] = less;
                if (lifted)
                    to_left[i] = (1 - slope) * (dot(upstream + i * channels, lifted + i * channels, channels) - less * raised[i]);
            }
        });
        share(side.rows, side.edges * h * c, threads, [&](Index first, Index end) {
            const Index heads = sizes.heads(), channels = sizes.channels(), width = heads * channels;
            Sum<T, decltype(sizes)::cells> sums_held;
            std::vector<T> scratch(heads), spare(heads), zeros(heads, T(0)), ones(heads, T(1));
            for (Index r = first; r < end; ++r) {
                T *sum = sums_held.begin(to_values + r * width), *total = to_right + r * heads, *weights = scratch.data();
                std::fill(sum, sum + width, T(0));
                std::fill(total, total + heads, T(0));
                const Index last = side.start[r + 1];
                for (Index t = side.start[r]; t < last; ++t) {
                    expect(side, t, upstream, width);
                    expect(side, t, memory, kept * heads);
                    const Index edge = side.edge(t) * heads, target = side.other[t];
                    const T *gradient = upstream + target * width, *value = values + r * width;
                    T* changes = to_edges ? to_edges + edge : spare.data();
                    dot_heads(sizes, gradient, value, changes);
                    unscore(heads, memory + target * kept * heads, right + r * heads, term ? term + edge : zeros.data(),
                            keep ? keep + edge : ones.data(), slope, weights, changes, total);
#pragma GCC unroll 8
                    for (Index k = 0; k < heads; ++k)
                        add(sum + k * channels, weights[k], gradient + k * channels, channels);
                }
                sums_held.end(to_values + r * width);
            }
        });
    });
}

// left_r = values_r . target and right_r = values_r . source, head by head
template <class T>
void parts(const Side& side, Index h, Index c, const T* values, const T* target, const T* source, T* left, T* right,
           int threads) {
    sized(h, c, [&](auto sizes) {
        share(side.rows, side.rows * h * c, threads, [&](Index first, Index end) {
            const Index heads = sizes.heads(), width = heads * sizes.channels();
            for (Index r = first; r < end; ++r) {
                dot_heads(sizes, values + r * width, target, left + r * heads);
                dot_heads(sizes, values + r * width, source, right + r * heads);
            }
        });
    });
}

// The way back: to_values_r += left_r target + right_r source, and for each block of rows the sums of left_r values_r
// and right_r values_r, which are the gradients of both vectors once they are added up.
template <class T>
void spread(const Side& side, Index h, Index c, const T* values, const T* target, const T* source, const T* left,
            const T* right, T* to_values, T* sums, int threads) {
    sized(h, c, [&](auto sizes) {
        share(side.rows, side.rows * h * c, threads, [&](Index first, Index end) {
            const Index heads = sizes.heads(), channels = sizes.channels(), width = heads * channels;
            T *to_target = sums + first / block * 2 * width, *to_source = to_target + width;
            std::fill(to_target, to_target + 2 * width, T(0));
            for (Index r = first; r < end; ++r)
#pragma GCC unroll 8
                for (Index k = 0; k < heads; ++k) {
                    const Index at = k * channels;
                    const T own = left[r * heads + k], other = right[r * heads + k], *value = values + r * width + at;
                    add(to_values + r * width + at, own, target + at, channels);
                    add(to_values + r * width + at, other, source + at, channels);
                    add(to_target + at, own, value, channels);
                    add(to_source + at, other, value, channels);
                }
        });
    });
}

// out_r = sum over entries of values_e
template <class T>
void sum_edges(const Side& side, Index heads, const T* values, T* out, int threads) {
    share(side.rows, side.edges * heads, threads, [&](Index first, Index end) {
        for (Index r = first; r < end; ++r) {
            T* sum = out + r * heads;
            std::fill(sum, sum + heads, T(0));
            for (Index t = side.start[r]; t < side.start[r + 1]; ++t) add(sum, T(1), values + side.edge(t) * heads, heads);
        }
    });
}

}  // namespace

#define FOR_TYPE(T, suffix)                                                                                          \
    extern "C" void sum_scaled_##suffix(const Side* side, Index heads, Index channels, const T* outer,               \
                                        const T* inner, const T* values, T* out, int threads) {                      \
        sum_scaled(*side, heads, channels, outer, inner, values, out, threads);                                      \
    }                                                                                                                \
    extern "C" void sum_weighted_##suffix(const Side* side, Index heads, Index channels, const T* weights,           \
                                          const T* values, T* out, int threads) {                                    \
        sum_weighted(*side, heads, channels, weights, values, out, threads);                                         \
    }                                                                                                                \
    extern "C" void dots_##suffix(const Side* side, Index heads, Index channels, const T* q, const T* k, T* out,     \
                                  int threads) {                                                                     \
        dots(*side, heads, channels, q, k, out, threads);                                                            \
    }                                                                                                                \
    extern "C" void parts_##suffix(const Side* side, Index heads, Index channels, const T* values, const T* target,  \
                                   const T* source, T* left, T* right, int threads) {                                \
        parts(*side, heads, channels, values, target, source, left, right, threads);                                 \
    }                                                                                                                \
    extern "C" void spread_##suffix(const Side* side, Index heads, Index channels, const T* values, const T* target, \
                                    const T* source, const T* left, const T* right, T* to_values, T* sums,           \
                                    int threads) {                                                                   \
        spread(*side, heads, channels, values, target, source, left, right, to_values, sums, threads);               \
    }                                                                                                                \
    extern "C" void sum_edges_##suffix(const Side* side, Index heads, const T* values, T* out, int threads) {        \
        sum_edges(*side, heads, values, out, threads);                                                               \
    }                                                                                                                \
    extern "C" void additive_forward_##suffix(const Side* side, Index heads, Index channels, const T* right,         \
                                              const T* term, const T* keep, const T* values, T slope, T* lifted,     \
                                              T* raised, T* memory, T* out, int threads) {                           \
        additive_forward(*side, heads, channels, right, term, keep, values, slope, lifted, raised, memory, out,      \
                         threads);                                                                                   \
    }                                                                                                                \
    extern "C" void additive_backward_##suffix(const Side* side, Index heads, Index channels, const T* right,        \
                                               const T* term, const T* keep, const T* values, T slope,               \
                                               const T* lifted, const T* raised, T* memory, const T* out,            \
                                               const T* upstream, T* to_left, T* to_edges, T* to_right,              \
                                               T* to_values, int threads) {                                          \
        additive_backward(*side, heads, channels, right, term, keep, values, slope, lifted, raised, memory, out,     \
                          upstream, to_left, to_edges, to_right, to_values, threads);                                \
    }

FOR_TYPE(float, float)
FOR_TYPE(double, double)
