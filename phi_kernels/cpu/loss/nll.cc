// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of nll_loss and its gradient on the CPU: one element of the input per label is read, and
// one is written. Labels are taken in blocks of a fixed length, so that the sums do not depend on
// the number of threads.
#include <algorithm>
#include <cstring>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loss/labels.h"
#include "phi_kernels/functors/computing_types.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kBlock = 4096;  // labels

// An input [batch, classes, inner] with labels [batch, inner].
template <typename T>
struct Labelled {
  using A = FloatType<T>;
  int64_t classes, inner = 1, count, ignored;
  Labels labels;
  const T* weight;

  Labelled(const KernelContext& c, int64_t ignore_index)
      : classes(c.in(0).shape[1].value()),
        count(c.in(1).numel),
        ignored(ignore_index),
        labels{c.in(1).data(), c.in(1).dtype},
        weight(c.has(2) ? c.in_data<T>(2) : nullptr) {
    for (size_t d = 2; d < c.in(0).shape.size(); ++d) inner *= c.in(0).shape[d].value();
  }
  // The place in the input of label i, which is `label`.
  int64_t place(int64_t i, int64_t label) const {
    return (i / inner * classes + label) * inner + i % inner;
  }
  A factor(int64_t label) const { return weight ? static_cast<A>(weight[label]) : A(1); }
  bool inside(int64_t label) const { return label >= 0 && label < classes; }
  int64_t blocks() const { return (count + kBlock - 1) / kBlock; }

  // visit(i, label) for the labels of block b that count; false when one is no class.
  template <typename Visit>
  bool walk(int64_t b, Visit visit) const {
    bool valid = true;
    for (int64_t i = b * kBlock; i < std::min(count, (b + 1) * kBlock); ++i) {
      const int64_t label = labels[i];
      if (label == ignored) continue;
      valid = valid && inside(label);
      if (inside(label)) visit(i, label);
    }
    return valid;
  }
  void refuse() const {
    for (int64_t i = 0; i < count; ++i) {
      PADDLE_CHECK_INDEX(labels[i] == ignored || inside(labels[i]), "nll_loss: label has value ",
                         labels[i], "; a class index must lie in [0, ", classes,
                         ") or equal ignore_index = ", ignored, ".");
    }
  }
};

struct Part {
  double loss = 0, weight = 0;
  bool valid = true;
};

// arguments: input, label, weight, ignore_index, reduction
template <typename T>
void nll_kernel(KernelContext& c) {
  const Labelled<T> m(c, c.i(3));
  const bool each = c.text(4) == "none";
  const T* x = c.in(0).numel ? c.in_data<T>(0) : nullptr;
  T* out = c.out(0).numel ? c.out_data<T>(0) : nullptr;
  std::vector<Part> parts(static_cast<size_t>(std::max<int64_t>(1, m.blocks())));
  parallel_for(0, m.blocks(), 4, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      Part& part = parts[static_cast<size_t>(b)];
      if (each) std::fill(out + b * kBlock, out + std::min(m.count, (b + 1) * kBlock), T(0.0f));
      part.valid = m.walk(b, [&](int64_t i, int64_t label) {
        const auto factor = m.factor(label);
        const auto loss = -static_cast<FloatType<T>>(x[m.place(i, label)]) * factor;
        if (each) out[i] = T(loss);
        part.loss += static_cast<double>(loss);
        part.weight += static_cast<double>(factor);
      });
    }
  });
  Part total;
  for (const Part& part : parts) {
    if (!part.valid) m.refuse();
    total.loss += part.loss;
    total.weight += part.weight;
  }
  const auto narrow = [](double v) { return T(static_cast<FloatType<T>>(v)); };
  *c.out_data<T>(1) = narrow(total.weight);
  if (each) return;
  const bool divides = c.text(4) == "mean" && total.weight != 0;
  *out = narrow(divides ? total.loss / total.weight : total.loss);
}

// arguments: input (its shape), label, weight, total_weight, out_grad, ignore_index, reduction
template <typename T>
void nll_grad_kernel(KernelContext& c) {
  using A = FloatType<T>;
  if (c.out(0).numel == 0) return;
  const Labelled<T> m(c, c.i(5));
  const bool each = c.text(6) == "none";
  const T* g = c.in_data<T>(4);
  T* out = c.out_data<T>(0);
  A share = each ? A(1) : static_cast<A>(*g);
  if (c.text(6) == "mean") {
    const A total = static_cast<A>(*c.in_data<T>(3));
    if (total != 0) share /= total;
  }
  parallel_for(0, c.out(0).numel, 65536, [&](int64_t begin, int64_t end) {
    std::memset(static_cast<void*>(out + begin), 0, static_cast<size_t>(end - begin) * sizeof(T));
  });
  std::vector<char> valid(static_cast<size_t>(std::max<int64_t>(1, m.blocks())), 1);
  parallel_for(0, m.blocks(), 4, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      valid[static_cast<size_t>(b)] = m.walk(b, [&](int64_t i, int64_t label) {
        const A own = each ? static_cast<A>(g[i]) : share;
        out[m.place(i, label)] = T(-own * m.factor(label));
      });
    }
  });
  if (std::find(valid.begin(), valid.end(), 0) != valid.end()) m.refuse();
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("nll_loss", DeviceKind::kCpu, {DTypeOf<T>::value}, nll_kernel<T>);
  r.kernel("nll_loss_grad", DeviceKind::kCpu, {DTypeOf<T>::value}, nll_grad_kernel<T>);
}

}  // namespace

void register_nll_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
}

}  // namespace paddle::cpu
