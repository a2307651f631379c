// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A group of operations as the compiler sees it: a copy in primitive operators, with the axes that
// its values share. What a group computes of nothing in common has forms of its own, which run side
// by side. Immutable once made; any thread may read it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cinn/group/graph.h"
#include "paddle_core/shape/sym.h"

namespace paddle::cinn {

// The axes of a reduction: those that stay and those that go.
struct RowShape {
  Axes outer, inner;
};

class GroupForm;

// A part of a group that no other one depends on.
struct GroupPart {
  std::shared_ptr<const GroupForm> form;  // equal parts share it
  std::vector<int> inputs;                // of the form: which operands of the group
  // Of the form: which results of the group; -1: only written in place.
  std::vector<int> results;
  // Of the form: which of the random operations in the group each draw is, in their order.
  std::vector<size_t> draws;
};

class GroupForm {
 public:
  // Of a cinn.group operation. NotImplementedError that says why it cannot run as kernels.
  static std::vector<GroupPart> parts_of(const pir::Operation& group);
  // The same of values that have their channels last (channels_last.h); null where an operation
  // needs the order that they have.
  static std::shared_ptr<const GroupForm> with_channels_last(
      const std::shared_ptr<const GroupForm>& form, size_t activations);
  // Groups of equal signature have equal kernels; extents are not part of it.
  const std::string& signature() const { return signature_; }
  // What the kernel's sizes are: numbers, or expressions of the symbols in the types of the group's
  // inputs. The values tell which variant serves.
  const std::vector<Dim>& sizes() const { return graph_.sizes; }
  // What must hold of the symbols for the kernel to be right.
  const std::vector<SymbolFact>& facts() const { return facts_; }
  const Graph& graph() const { return graph_; }
  const std::vector<RowShape>& row_shapes() const { return row_shapes_; }
  // Whether it replaces the values of inputs.
  bool overwrites() const;
  // Whether there are values for which its kernel gives up.
  bool may_fail() const;
  // Whether a part of its group overwrites inputs, so that no kernel of the group may give up.
  bool stands_beside_updates() const { return beside_updates_; }

 private:
  void fill(const std::vector<pir::Value*>& inputs, std::vector<pir::Value*> results);
  void finish();
  std::shared_ptr<const GroupForm> turned_from_;  // which holds the operations then
  bool beside_updates_ = false;
  pir::Program program_;  // whose operations the graph names
  Graph graph_;
  std::string signature_;
  std::vector<SymbolFact> facts_;
  std::vector<RowShape> row_shapes_;
};

}  // namespace paddle::cinn
