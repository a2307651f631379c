// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `Spmd`: the sharding rule of one call, as factors. A factor is an index of the computation; it
// stands for one dimension of each tensor that it runs through. When a mesh dimension splits a
// factor, every tensor that has it is split there, a result that lacks it is Partial, and other
// tensors are whole. Each rank then computes the call with its parts.
//
//   r.op("matmul_2d").spmd("m k, k n -> m n")     // k is summed: Partial(SUM) when it is split
//   r.op("embedding").spmd("..., * d -> ... d")   // * : whole; ... : all leading dimensions
//   r.op("softmax").spmd(sharding::along_axis)    // a function of the call
//
// A record without a rule has one all the same: elementwise operators and reductions that of their
// trait, a composed operator those of its decomposition; others compute with whole tensors. See
// docs/adding/sharding_rule.md.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "paddle_core/op/args.h"
#include "paddle_core/tensor/sharded_part.h"

namespace paddle {

class PADDLE_API Spmd : public Args {
 public:
  struct Factor {
    int64_t extent;
    bool even = false;                 // is only split into equal parts
    std::optional<ReduceKind> reduce;  // of results that lack it; none: it may not be split then
  };
  using Factors = SmallVector<int, 5>;  // one for each dimension; -1: whole
  struct Operand {
    int arg;      // argument of the schema
    int element;  // of a list; -1: the argument is one tensor
    const TensorImpl* tensor;
    Factors factors;
  };
  struct Result {
    const TensorImpl* tensor;  // shape and dtype; null: the call does not have it
    Factors factors;
    bool independent = false;  // replicated in any case
  };
  struct LocalInteger {
    int arg, factor;
    int sign;  // of the first index of the part; 0: the argument is the extent
  };

  // `outs` are what the shape rule gave.
  Spmd(const OpDef& op, const Slot* slots, const Tensor* outs, size_t num_outs);

  // -- for rules -------------------------------------------------------------------------------
  const Shape& shape(int arg) const { return slot(arg).tensor->shape; }
  int64_t ndim(int arg) const { return static_cast<int64_t>(shape(arg).size()); }
  const Shape& out_shape(int result) const {
    return results_[static_cast<size_t>(result)].tensor->shape;
  }
  int64_t out_ndim(int result) const { return static_cast<int64_t>(out_shape(result).size()); }
  size_t num_results() const { return results_.size(); }
  bool has_result(size_t i) const { return results_[i].tensor != nullptr; }
  // The factor that a dimension of a result has so far; -1: whole.
  int result_factor(int result, int64_t dim) const {
    return results_[static_cast<size_t>(result)].factors[static_cast<size_t>(dim)];
  }

  int factor(int64_t extent);
  Spmd& even(int factor);
  Spmd& reduces(int factor, ReduceKind kind);
  // Dimension `dim` of an argument (of an element of a list), of a result, runs over the factor.
  Spmd& operand(int arg, int64_t dim, int factor, int element = -1);
  Spmd& result(int result, int64_t dim, int factor);
  // All tensors broadcast against result 0 from the right.
  void broadcast();
  // Of a record with OpDef::reduction: the axes that stay are those of every result. Without a kind
  // the reduced ones are whole.
  void reduction(std::optional<ReduceKind> kind);
  // Every dimension of argument 0 but these (negative ones count from the end) is the same one of
  // each tensor with the same number of dimensions.
  void along(std::initializer_list<int64_t> whole);
  // The call is linear in these arguments together: Partial sums of them, beside whole others, give
  // Partial sums as results.
  Spmd& linear(std::initializer_list<int> args);
  // Only values go from the argument to the results, so Partial of every kind stays so.
  Spmd& moves_values() { return moves_values_ = true, *this; }
  // The argument is a shape of the result: the call with parts gets that of its part.
  Spmd& shape_argument(int arg, int result);
  // The integer argument is the extent of the factor: the call with parts gets that of its part.
  Spmd& count_argument(int arg, int factor) {
    return local_integers_.push_back({arg, factor, 0}), *this;
  }
  // Positions in the factor move against the integer argument (the column of a row's diagonal): the
  // call with parts gets it plus (sign 1) or minus (-1) the first index of its part.
  Spmd& shifted_argument(int arg, int factor, int sign) {
    return local_integers_.push_back({arg, factor, sign}), *this;
  }
  // The call runs as its decomposition, which an operator that writes arguments else does not.
  Spmd& decomposes() { return decomposes_ = true, *this; }
  // The result is the same whatever is split.
  Spmd& independent(int result) {
    return results_[static_cast<size_t>(result)].independent = true, *this;
  }
  // By the notation above.
  void parse(std::string_view text);

  // -- for those who resolve -------------------------------------------------------------------
  const SmallVector<Factor, 8>& factors() const { return factors_; }
  SmallVector<Operand, 4>& operands() { return operands_; }
  const SmallVector<Operand, 4>& operands() const { return operands_; }
  const SmallVector<Result, 2>& results() const { return results_; }
  const SmallVector<uint64_t, 2>& linear_groups() const { return linear_; }  // bit per operand
  bool only_moves_values() const { return moves_values_; }
  const SmallVector<std::pair<int, int>, 1>& shape_arguments() const { return shape_arguments_; }
  const SmallVector<LocalInteger, 1>& local_integers() const { return local_integers_; }
  bool runs_decomposed() const { return decomposes_; }

 private:
  SmallVector<Factor, 8> factors_;
  SmallVector<Operand, 4> operands_;
  SmallVector<Result, 2> results_;
  SmallVector<uint64_t, 2> linear_;
  SmallVector<std::pair<int, int>, 1> shape_arguments_;
  SmallVector<LocalInteger, 1> local_integers_;
  bool moves_values_ = false, decomposes_ = false;
};

// Where the placements of an operator's results come from.
enum class ShardingSource : uint8_t {
  kRule,           // spmd() of the record
  kElementwise,    // the trait: all dimensions, broadcast
  kReduction,      // the trait: the dimensions that stay
  kDecomposition,  // the operators that it is composed of
  kWhole,          // nowhere: it computes with whole tensors
  kNone,           // no argument is a tensor, so nothing lies on a mesh
};
PADDLE_API ShardingSource sharding_source(const OpDef& op);
PADDLE_API std::string_view name_of(ShardingSource source);

// What the record says of the call: its rule, else the one of its trait; false when there is none.
PADDLE_API bool sharding_rule(Spmd& call);

}  // namespace paddle
