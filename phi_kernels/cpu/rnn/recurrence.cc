// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of recurrence and its gradient on the CPU: per step one product of the whole batch with
// the weight, then the cell of every sample as a vectorised row. The weight's gradient is one
// product over all steps. 16-bit floats are computed in float.
#include <algorithm>
#include <optional>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/gemm/gemm.h"
#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

enum class Cell { kTanh, kRelu, kLstm, kGru };

Cell cell_of(std::string_view mode) {
  if (mode == "LSTM") return Cell::kLstm;
  if (mode == "GRU") return Cell::kGru;
  return mode == "RNN_RELU" ? Cell::kRelu : Cell::kTanh;
}

// An input in the computing type: itself or a widened copy.
template <typename T>
struct Source {
  using A = RowType<T>;
  std::vector<A> copy;
  const A* data = nullptr;
  void read(const TensorImpl& t) {
    data = load_row(static_cast<const T*>(t.data()), t.numel, copy);
  }
};

// A result in the computing type; write() narrows it.
template <typename T>
struct Target {
  using A = RowType<T>;
  std::vector<A> copy;
  A* data = nullptr;
  T* out = nullptr;
  int64_t count = 0;
  void open(TensorImpl& t) {
    out = static_cast<T*>(t.data());
    count = t.numel;
    data = begin_row(out, count, copy);
  }
  void write() {
    if (out) store_row(data, out, count);
  }
};

struct Sizes {
  Cell cell;
  int64_t steps, batch, units, gates, kept;
  const int64_t* length;
  bool reverse;

  int64_t time(int64_t k) const { return reverse ? steps - 1 - k : k; }
  bool counts(int64_t t, int64_t b) const { return !length || t < length[b]; }
  // Time of the state before step t of sample b, or -1 for the initial state.
  int64_t before(int64_t t, int64_t b) const {
    if (!reverse) return t - 1;
    return t + 1 < steps && counts(t + 1, b) ? t + 1 : -1;
  }
  int64_t grain() const { return std::max<int64_t>(1, 4096 / std::max<int64_t>(1, units)); }
};

Sizes sizes_of(const KernelContext& c, Cell cell, bool reverse) {
  Sizes s;
  s.cell = cell;
  s.steps = c.in(0).shape[0].value();
  s.batch = c.in(1).shape[0].value();
  s.units = c.in(1).shape[1].value();
  s.gates = c.in(0).shape[2].value();
  s.kept = cell == Cell::kLstm ? 5 * s.units : cell == Cell::kGru ? 4 * s.units : 0;
  s.length = c.has(5) ? c.in_data<int64_t>(5) : nullptr;
  s.reverse = reverse;
  return s;
}

GemmShape product(int64_t m, int64_t n, int64_t k, bool trans_a, bool trans_b) {
  return {trans_a, trans_b, m, n, k, trans_a ? m : k, trans_b ? k : n, n};
}

// Products of all steps with one weight, which tiles take packed once.
template <typename A>
class StepProduct {
 public:
  StepProduct(const GemmShape& shape, const A* weight, int64_t steps)
      : shape_(shape), weight_(weight) {
    constexpr int64_t kFewestSteps = 3;
    if constexpr (std::is_same_v<A, float>) {
      if (steps >= kFewestSteps) split_.emplace(shape.m, shape.n, shape.k, weight, shape.trans_b);
    }
  }
  void multiply(const A* a, bool accumulate, A* c) const {
    if constexpr (std::is_same_v<A, float>) {
      if (split_ && *split_) return split_->multiply(a, accumulate, c);
    }
    gemm<A>(shape_, a, weight_, c, accumulate);
  }

 private:
  GemmShape shape_;
  const A* weight_;
  std::optional<SplitColumns> split_;
};

// arguments: gates, h0, c0, weight, bias, length, mode, reverse
template <typename T>
void forward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Sizes s = sizes_of(c, cell_of(c.text(6)), c.b(7));
  const RowKernels<A>& rows = cpu::rows<A>();
  const int64_t n = s.units;
  Source<T> x, h0, c0, weight, bias;
  x.read(c.in(0)), h0.read(c.in(1)), weight.read(c.in(3));
  if (c.has(2)) c0.read(c.in(2));
  if (c.has(4)) bias.read(c.in(4));
  Target<T> out, h, state, kept;
  out.open(c.out(0)), h.open(c.out(1)), kept.open(c.out(3));
  if (c.has(2)) state.open(c.out(2));
  std::copy_n(h0.data, s.batch * n, h.data);
  if (c0.data) std::copy_n(c0.data, s.batch * n, state.data);
  std::vector<A> products(static_cast<size_t>(s.batch * s.gates));
  const StepProduct<A> by_weight(product(s.batch, s.gates, n, false, true), weight.data, s.steps);
  for (int64_t k = 0; k < s.steps; ++k) {
    const int64_t t = s.time(k);
    by_weight.multiply(h.data, false, products.data());
    parallel_for(0, s.batch, s.grain(), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t row = t * s.batch + b;
        A* to = out.data + row * n;
        A* keep = kept.data + row * s.kept;
        if (!s.counts(t, b)) {
          std::fill_n(to, n, A(0));
          std::fill_n(keep, s.kept, A(0));
          continue;
        }
        A* p = products.data() + b * s.gates;
        const A* given = x.data + row * s.gates;
        A* now = h.data + b * n;
        if (bias.data) rows.axpy(1, bias.data, p, s.gates);
        if (s.cell == Cell::kLstm) {
          rows.lstm_step(given, p, state.data + b * n, keep, now, n);
        } else if (s.cell == Cell::kGru) {
          rows.gru_step(given, p, now, keep, n);
        } else {
          rows.rnn_step(s.cell == Cell::kRelu, given, p, now, n);
        }
        std::copy_n(now, n, to);
      }
    });
  }
  out.write(), h.write(), state.write(), kept.write();
}

// The state before every step, for the weight's gradient.
template <typename A>
std::vector<A> states_before(const Sizes& s, const A* out, const A* h0) {
  const int64_t n = s.units;
  std::vector<A> before(static_cast<size_t>(s.steps * s.batch * n));
  parallel_for(0, s.steps, 4, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin * s.batch; row < end * s.batch; ++row) {
      const int64_t b = row % s.batch, from = s.before(row / s.batch, b);
      std::copy_n(from < 0 ? h0 + b * n : out + (from * s.batch + b) * n, n,
                  before.data() + row * n);
    }
  });
  return before;
}

// arguments: gates, h0, c0, weight, bias, length, out, reserve, out_grad, h_grad, c_grad, mode,
// reverse
template <typename T>
void backward_kernel(KernelContext& c) {
  using A = RowType<T>;
  const Sizes s = sizes_of(c, cell_of(c.text(11)), c.b(12));
  const RowKernels<A>& rows = cpu::rows<A>();
  const int64_t n = s.units;
  Source<T> h0, c0, weight, out, kept, by_out, by_h, by_c;
  h0.read(c.in(1)), weight.read(c.in(3)), out.read(c.in(6)), kept.read(c.in(7));
  if (c.has(2)) c0.read(c.in(2));
  if (c.has(8)) by_out.read(c.in(8));
  if (c.has(9)) by_h.read(c.in(9));
  if (c.has(10)) by_c.read(c.in(10));
  Target<T> dx, dh, dc, dw, db;
  dx.open(c.out(0)), dh.open(c.out(1)), dw.open(c.out(3));
  if (c.has(2)) dc.open(c.out(2));
  if (c.has(4)) db.open(c.out(4));
  const auto start = [&](A* to, const A* from) {
    from ? std::copy_n(from, s.batch * n, to) : std::fill_n(to, s.batch * n, A(0));
  };
  start(dh.data, by_h.data);
  if (dc.data) start(dc.data, by_c.data);
  // Of a GRU the hidden part of the gates has a gradient of its own.
  std::vector<A> hidden_copy(s.cell == Cell::kGru ? static_cast<size_t>(s.steps * s.batch * s.gates)
                                                  : 0);
  A* hidden = s.cell == Cell::kGru ? hidden_copy.data() : dx.data;
  const std::vector<A> before = states_before(s, out.data, h0.data);
  const StepProduct<A> by_weight(product(s.batch, n, s.gates, false, false), weight.data, s.steps);
  for (int64_t k = s.steps; k-- > 0;) {
    const int64_t t = s.time(k);
    parallel_for(0, s.batch, s.grain(), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t row = t * s.batch + b;
        A *given = dx.data + row * s.gates, *inner = hidden + row * s.gates;
        A* flow = dh.data + b * n;
        if (!s.counts(t, b)) {
          std::fill_n(given, s.gates, A(0));
          std::fill_n(inner, s.gates, A(0));
          continue;
        }
        if (by_out.data) rows.axpy(1, by_out.data + row * n, flow, n);
        const A* keep = kept.data + row * s.kept;
        if (s.cell == Cell::kLstm) {
          const int64_t from = s.before(t, b);
          const A* old =
              from < 0 ? c0.data + b * n : kept.data + (from * s.batch + b) * s.kept + 4 * n;
          rows.lstm_grad(keep, old, flow, dc.data + b * n, given, n);
        } else if (s.cell == Cell::kGru) {
          rows.gru_grad(keep, before.data() + row * n, flow, given, inner, n);
        } else {
          rows.rnn_grad(s.cell == Cell::kRelu, out.data + row * n, flow, given, n);
        }
      }
    });
    by_weight.multiply(hidden + t * s.batch * s.gates, true, dh.data);
  }
  gemm<A>(product(s.gates, n, s.steps * s.batch, true, false), hidden, before.data(), dw.data);
  if (db.data) {
    std::fill_n(db.data, s.gates, A(0));
    for (int64_t row = 0; row < s.steps * s.batch; ++row) {
      rows.axpy(1, hidden + row * s.gates, db.data, s.gates);
    }
  }
  dx.write(), dh.write(), dc.write(), dw.write(), db.write();
}

template <typename T>
void add_both(Registry& r) {
  r.kernel("recurrence", DeviceKind::kCpu, {DTypeOf<T>::value}, forward_kernel<T>);
  r.kernel("recurrence_grad", DeviceKind::kCpu, {DTypeOf<T>::value}, backward_kernel<T>);
}

}  // namespace

void register_recurrence_cpu(Registry& r) {
  add_both<float>(r);
  add_both<double>(r);
  add_both<float16>(r);
  add_both<bfloat16>(r);
}

}  // namespace paddle::cpu
