// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A group of operations as the compiler sees it: a copy in primitive operators, with the axes that
// its values share. Immutable once made; any thread may read it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paddle_core/shape/sym.h"
#include "pir/ir/ir.h"

namespace paddle::cinn {

class GroupForm {
 public:
  virtual ~GroupForm() = default;
  // Of a cinn.group operation. NotImplementedError that says why it cannot be one kernel.
  static std::shared_ptr<const GroupForm> of(const pir::Operation& group);
  // Groups of equal signature have equal kernels; extents are not part of it.
  virtual const std::string& signature() const = 0;
  // What the kernel's sizes are: numbers, or expressions of the symbols in the types of the group's
  // inputs. The values tell which variant serves.
  virtual const std::vector<Dim>& sizes() const = 0;
  // The extents of each result, in the same terms.
  virtual const std::vector<pir::Type>& results() const = 0;
};

}  // namespace paddle::cinn
