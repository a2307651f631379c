// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// All operators of the process. Filled once by explicit register_<topic>(Registry&) functions (the
// build writes the list), later only by users' own operators. References stay valid for ever.
//
// seal() checks every record: it has a schema and a shape rule, and a kernel, a decomposition or a
// view; a primitive says why it is one; aliases name arguments.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "paddle_core/op/op_def.h"

namespace paddle {

class PADDLE_API Registry {
 public:
  static Registry& global();

  // A new record; RuntimeError when the name is taken.
  OpDef& op(std::string name);
  OpDef* find(std::string_view name);
  // RuntimeError when there is none.
  OpDef& at(std::string_view name);
  void kernel(std::string_view op, DeviceKind device, std::initializer_list<DType> dtypes,
              KernelFn fn, bool strided = false);
  // Of the type of device that `place` is of; the kernel finds `user` in its context.
  void kernel(std::string_view op, Place place, std::initializer_list<DType> dtypes, Kernel kernel);
  void seal();
  const std::deque<OpDef>& all() const { return ops_; }

 private:
  std::deque<OpDef> ops_;
  std::unordered_map<std::string, OpDef*> by_name_;
};

// Defined by the build's generated list; idempotent.
PADDLE_API void register_all_ops(Registry& registry);

}  // namespace paddle
