// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// All operators of the process. Filled once by explicit register_<topic>(Registry&) functions (the
// build writes the list), later only by users' own operators. References stay valid for ever.
//
// seal() checks every record: it has a schema and a shape rule, and a kernel, a decomposition or a
// view; it is primitive or opaque, and says why, or composed, and of a rank that may be; aliases
// name arguments. Ranks order the composed operators, and a call against the order is refused when
// a decomposition makes it (dispatch/execute/decomposition.h), so there are no cycles.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "paddle_core/op/op_def.h"

namespace paddle {

class PADDLE_API Registry {
 public:
  static Registry& global();

  // A new record, found from now on; RuntimeError when the name is taken. For start-up, before
  // other threads look operators up and before seal(), which checks what was defined this way.
  OpDef& op(std::string name);
  // The same for a complete record at any time: it is checked as by seal(), then found. Its
  // decomposition may call all operators that were there before; it says a rank only to be called
  // by decompositions of theirs.
  OpDef& add(OpDef record);
  OpDef* find(std::string_view name);
  // RuntimeError when there is none.
  OpDef& at(std::string_view name);
  void kernel(std::string_view op, DeviceKind device, std::initializer_list<DType> dtypes,
              KernelFn fn, bool strided = false);
  // Of the type of device that `place` is of; the kernel finds `user` in its context.
  void kernel(std::string_view op, Place place, std::initializer_list<DType> dtypes, Kernel kernel);
  void seal();
  // For start-up and tests: nothing may be registered while it is walked through.
  const std::deque<OpDef>& all() const { return ops_; }
  // The records from position `first` on; safe while others are registered.
  std::vector<const OpDef*> since(size_t first) const;

 private:
  std::deque<OpDef> ops_;
  std::unordered_map<std::string, OpDef*> by_name_;
};

// Defined by the build's generated list; idempotent.
PADDLE_API void register_all_ops(Registry& registry);

}  // namespace paddle
