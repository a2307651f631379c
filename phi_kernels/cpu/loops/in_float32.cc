// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Widening and rounding around kernels of float32, in parts that threads share.
#include "phi_kernels/cpu/loops/in_float32.h"

#include <vector>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/loops/loops.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kGrain = 1 << 15;

bool is_16_bit(DType t) { return t == DType::kFloat16 || t == DType::kBFloat16; }

void convert(const TensorImpl& from, TensorImpl& to) {
  if (from.numel == 0) return;
  const auto loop = loop_tables.convert[static_cast<int>(from.dtype)][static_cast<int>(to.dtype)];
  const auto* const in = static_cast<const char*>(from.data());
  auto* const out = static_cast<char*>(to.data());
  const auto in_size = static_cast<int64_t>(size_of(from.dtype));
  const auto out_size = static_cast<int64_t>(size_of(to.dtype));
  parallel_for(0, from.numel, kGrain, [&](int64_t begin, int64_t end) {
    loop(end - begin, out + begin * out_size, in + begin * in_size, 1);
  });
}

}  // namespace

void call_in_float32(KernelContext& c, KernelFn kernel) {
  const Schema& schema = c.op().schema();
  std::vector<Tensor> wide;  // holds the arguments
  std::vector<Slot> args;
  for (size_t i = 0; i < schema.args.size(); ++i) {
    args.push_back(c.slot(static_cast<int>(i)));
    Slot& slot = args.back();
    if (slot.kind != SlotKind::kTensor || !is_16_bit(slot.tensor->dtype)) continue;
    const TensorImpl& narrow = *slot.tensor;
    const bool values = static_cast<bool>(narrow.storage);  // or only a shape
    wide.push_back(values ? Tensor::empty(narrow.shape, DType::kFloat32)
                          : Tensor::meta(narrow.shape, DType::kFloat32));
    if (values) convert(narrow, *wide.back().impl());
    slot = Slot::of(wide.back());
  }
  std::vector<Tensor> outs;
  for (size_t i = 0; i < schema.results.size(); ++i) {
    const auto at = static_cast<int>(i);
    const bool narrow = c.wants(at) && is_16_bit(c.out(at).dtype);
    outs.push_back(!c.wants(at) ? Tensor()
                   : narrow     ? Tensor::empty(c.out(at).shape, DType::kFloat32)
                                : Tensor(IntrusivePtr<TensorImpl>::share(&c.out(at))));
  }
  KernelContext inner(c.op(), args.data(), outs.data(), c.random(), c.user());
  kernel(inner);
  for (size_t i = 0; i < outs.size(); ++i) {
    const auto at = static_cast<int>(i);
    if (c.wants(at) && is_16_bit(c.out(at).dtype)) convert(*outs[i].impl(), c.out(at));
  }
}

}  // namespace paddle::cpu
