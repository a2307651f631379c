// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The sink behind calls that compute nothing.
#include "paddle_core/dispatch/meta_calls.h"

#include "paddle_core/shape/sym.h"

namespace paddle {

MetaCalls::MetaCalls(OnCall on_call)
    : on_call_(std::move(on_call)),
      outer_(capture_sink()),
      guard_(kModeAmp | kModeAutograd | kModeView | kModeCheck, kModeCapture) {
  set_capture_sink(this);
}

MetaCalls::~MetaCalls() { set_capture_sink(outer_); }

void MetaCalls::record(const OpDef& op, const Slot* args, Outputs& outs) {
  PADDLE_CHECK_RUNTIME(!op.is_native_inplace(), op.name(),
                       ": it writes in place, which calls without values cannot.");
  {
    const SymbolScope::Rule rule(SymbolScope::current());
    infer_meta(op, args, outs);
  }
  const Place place = place_of_results(op, args);
  for (Tensor& t : outs) {
    if (!t.defined()) continue;
    t->place = place;
    t->set_contiguous_layout();
  }
  on_call_(op, args, outs);
}

void MetaCalls::rebind(const Tensor& target, const Tensor&) {
  throw_error(ErrorKind::kRuntime, str("a tensor of shape ", target.shape(),
                                       " is written in place, which calls without values cannot."));
}

void MetaCalls::set_grad(const Tensor& leaf, const Tensor&) {
  throw_error(ErrorKind::kRuntime, str("a gradient of shape ", leaf.shape(),
                                       " is set, which calls without values cannot."));
}

void MetaCalls::value_requested(const Tensor& t, const char* what) {
  throw_error(ErrorKind::kRuntime, str(what, ": the value of a tensor of shape ", t.shape(),
                                       " is asked for, which calls without values do not have."));
}

}  // namespace paddle
