// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of viterbi_decode: one sequence a task.
#include <algorithm>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

template <typename T>
struct Decoder {
  const T* moves;
  int64_t tags;
  bool bounded;  // rows of `moves` stand for the begin and the end

  // The best sum over `steps` rows of potentials; the tags that give it.
  T run(const T* potentials, int64_t steps, int64_t* path) const {
    const T* end = moves + (tags - 2) * tags;
    std::vector<T> best(potentials, potentials + tags), next(best.size());
    std::vector<int64_t> origins(static_cast<size_t>(steps * tags));
    const auto add = [&](std::vector<T>& to, const T* row) {
      for (int64_t j = 0; j < tags; ++j) to[static_cast<size_t>(j)] += row[j];
    };
    if (bounded) add(best, end + tags);
    for (int64_t t = 1; t < steps; ++t) {
      int64_t* origin = origins.data() + t * tags;
      std::fill(origin, origin + tags, 0);
      for (int64_t j = 0; j < tags; ++j) next[static_cast<size_t>(j)] = best[0] + moves[j];
      for (int64_t i = 1; i < tags; ++i) {
        const T from = best[static_cast<size_t>(i)];
        for (int64_t j = 0; j < tags; ++j) {
          const T sum = from + moves[i * tags + j];
          if (!(sum > next[static_cast<size_t>(j)])) continue;
          next[static_cast<size_t>(j)] = sum;
          origin[j] = i;
        }
      }
      add(next, potentials + t * tags);
      best.swap(next);
    }
    if (bounded) add(best, end);
    const auto last = std::max_element(best.begin(), best.end());
    int64_t tag = last - best.begin();
    for (int64_t t = steps; t-- > 0;) {
      path[t] = tag;
      tag = origins[static_cast<size_t>(t * tags + tag)];
    }
    return *last;
  }
};

template <typename T>
void viterbi_kernel(KernelContext& k) {
  const Shape& shape = k.in(0).shape;
  const int64_t batch = shape[0].value(), steps = shape[1].value(), tags = shape[2].value();
  const Tensor lengths = Tensor::empty(Shape{batch}, DType::kInt64);
  lengths.copy_data_from(k.in_tensor(2));
  const int64_t* length = batch ? lengths.data<int64_t>() : nullptr;
  const bool bounded = k.b(3);
  PADDLE_CHECK_VALUE(batch == 0 || tags >= (bounded ? 2 : 1), "viterbi_decode: there are ", tags,
                     " tags; with include_bos_eos_tag two are needed, else one.");
  int64_t longest = 0;
  for (int64_t b = 0; b < batch; ++b) {
    PADDLE_CHECK_VALUE(length[b] >= 1 && length[b] <= steps, "viterbi_decode: lengths[", b, "] is ",
                       length[b], "; it must be from 1 to ", steps, ", the length of potentials.");
    longest = std::max(longest, length[b]);
  }
  const Tensor path = Tensor::full(Shape{batch, longest}, Scalar(0), DType::kInt64);
  const Tensor sums = Tensor::empty(Shape{batch}, k.in_tensor(0).dtype());
  k.set_out(0, sums);
  k.set_out(1, path);
  if (batch == 0) return;
  const Decoder<T> decoder{k.in_data<T>(1), tags, bounded};
  const T* potentials = k.in_data<T>(0);
  T* scores = sums.data<T>();
  parallel_for(0, batch, 1, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) {
      scores[b] =
          decoder.run(potentials + b * steps * tags, length[b], path.data<int64_t>() + b * longest);
    }
  });
}

}  // namespace

void register_viterbi_cpu(Registry& r) {
  r.kernel("viterbi_decode", DeviceKind::kCpu, {DType::kFloat32}, viterbi_kernel<float>);
  r.kernel("viterbi_decode", DeviceKind::kCpu, {DType::kFloat64}, viterbi_kernel<double>);
}

}  // namespace paddle::cpu
