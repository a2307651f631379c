// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of calls share: the operators with autograd installed, small tensors, messages.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/ops/core_ops.h"

namespace paddle::testing {

class WithOperators : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool once = [] {
      register_all_ops(Registry::global());
      ops::install_core_ops();
      cpu::install_copy_cpu();
      autograd::install_autograd();
      return true;
    }();
    ASSERT_TRUE(once);
  }
};

inline Tensor vector_of(const std::vector<float>& values, bool needs_gradient = false) {
  const Tensor t = Tensor::empty({static_cast<int64_t>(values.size())}, DType::kFloat32);
  std::copy(values.begin(), values.end(), t.data<float>());
  if (needs_gradient) autograd::set_stop_gradient(t, false);
  return t;
}

inline Tensor leaf_of(const std::vector<float>& values) { return vector_of(values, true); }

// The values in logical order, read on the host.
inline std::vector<float> values_of(const Tensor& t) {
  Tensor host = Tensor::empty(t.shape(), DType::kFloat32);
  host.copy_data_from(t);
  return {host.data<float>(), host.data<float>() + host.numel()};
}

inline std::vector<float> grad_values(const Tensor& t) {
  const Tensor grad = autograd::grad_of(t);
  return grad.defined() ? values_of(grad) : std::vector<float>();
}

// The error that `fn` raises, as its kind and message; a failure when it raises none.
struct Raised {
  ErrorKind kind = ErrorKind::kRuntime;
  std::string message;
  bool says(std::string_view part) const { return message.find(part) != std::string::npos; }
};
inline Raised raised_by(const std::function<void()>& fn) {
  try {
    fn();
  } catch (const Error& e) {
    return {e.kind(), e.message()};
  }
  ADD_FAILURE() << "nothing was raised";
  return {};
}

}  // namespace paddle::testing
