// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions of the loop IR. They have the semantics of one scalar iteration; an emitter that runs
// a loop as vectors widens what depends on its variable. Equal expressions of one pool are one
// node, so what occurs twice is computed once.
//
// The type of an expression is a DType: bool, an integer, float32 or float64. 16-bit floats exist
// in memory only: a load widens them to float32, a store rounds to nearest even. Integer arithmetic
// wraps; kFloorDivide and kModulo round towards minus infinity, by zero they give 0. kMin, kMax
// propagate NaN. No operation may be reassociated or assumed to see no NaN, infinity or signed
// zero; a multiplication and an addition may be contracted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "paddle_core/base/small_vector.h"
#include "paddle_core/type/dtype.h"

namespace paddle::cinn {

enum class ExprOp : uint8_t {
  kConstant,  // `real`, or `integer` for integers and bool
  kVariable,  // of a loop: its number, int64
  kSize,      // argument number `integer` of the kernel, int64
  kRegister,  // the value of a register (Declare)
  kLoad,      // element args[0] of buffer number `integer`
  // -- one operand --
  kNegate,
  kAbs,
  kSqrt,
  kFloor,
  kCeil,
  kTrunc,
  kRoundEven,
  kNot,      // bool: logical, integers: bitwise
  kCast,     // float to integer: towards zero, saturated, NaN gives 0; to bool: != 0
  kBitcast,  // between types of one size
  kRound16,  // float32 rounded to the 16-bit float `integer` (a DType), still float32
  // -- two --
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  // of integers: towards zero
  kFloorDivide,
  kModulo,
  kMin,
  kMax,
  kCopySign,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRight,  // of the bits, zeros from the left
  kShiftRightArithmetic,
  kLess,  // comparisons give bool, false for NaN except kNotEqual
  kLessEqual,
  kEqual,
  kNotEqual,
  kShuffleXor,  // args[0] of the thread whose number in the warp differs by the constant args[1]
  // -- three --
  kSelect,  // args[0] ? args[1] : args[2]; both are computed
  kFma,     // args[0] * args[1] + args[2], rounded once
};
const char* name_of(ExprOp op);

struct ExprNode {
  ExprOp op;
  DType type;
  SmallVector<const ExprNode*, 3> args;
  int64_t integer = 0;
  double real = 0;
  uint32_t number = 0;  // in order of creation: operands come before what reads them
};
using Expr = const ExprNode*;

// Owns expressions. The functions fold constants and, for int64, keep sums of products in a form in
// which index arithmetic cancels: (x * n + v) // n is x where v is a variable of extent n.
class ExprPool {
 public:
  ExprPool();
  ~ExprPool();
  ExprPool(const ExprPool&) = delete;
  ExprPool& operator=(const ExprPool&) = delete;

  Expr constant(DType type, double value);
  Expr integer(int64_t value) { return integer(DType::kInt64, value); }
  Expr integer(DType type, int64_t value);
  Expr boolean(bool value) { return integer(DType::kBool, value); }
  // A new variable of a loop over [0, extent).
  Expr variable(Expr extent);
  Expr size(int64_t position);
  Expr reg(int64_t number, DType type);
  // `type` is that of the buffer, widened to float32 where it is a 16-bit float.
  Expr load(int64_t buffer, DType type, Expr index);
  Expr unary(ExprOp op, Expr x);
  Expr cast(DType type, Expr x);
  Expr bitcast(DType type, Expr x);
  Expr round16(DType to, Expr x);
  Expr binary(ExprOp op, Expr a, Expr b);
  Expr select(Expr condition, Expr a, Expr b);
  Expr fma(Expr a, Expr b, Expr c);

  Expr add(Expr a, Expr b) { return binary(ExprOp::kAdd, a, b); }
  Expr subtract(Expr a, Expr b) { return binary(ExprOp::kSubtract, a, b); }
  Expr multiply(Expr a, Expr b) { return binary(ExprOp::kMultiply, a, b); }
  Expr floor_divide(Expr a, Expr b) { return binary(ExprOp::kFloorDivide, a, b); }
  Expr modulo(Expr a, Expr b) { return binary(ExprOp::kModulo, a, b); }

  // The expression with `replacement(node)` in place of every node for which that is not null.
  Expr rewrite(Expr e, const std::function<Expr(Expr)>& replacement);
  size_t size() const { return nodes_.size(); }

 private:
  struct Hash {
    size_t operator()(Expr e) const;
  };
  struct Equal {
    bool operator()(Expr a, Expr b) const;
  };
  Expr intern(ExprNode node);
  Expr fold(ExprOp op, DType type, Expr a, Expr b);
  Expr beside_zero(ExprOp op, Expr a, Expr b);
  Expr simplify_division(ExprOp op, Expr a, Expr b);
  std::vector<std::unique_ptr<ExprNode>> nodes_;
  std::unordered_set<Expr, Hash, Equal> known_;
  std::vector<Expr> extents_;  // of variables, by number
};

inline bool is_integer_constant(Expr e, int64_t value) {
  return e->op == ExprOp::kConstant && !is_floating(e->type) && e->integer == value;
}
// Whether the value depends on the node.
bool depends_on(Expr e, Expr on);
// The constant c for which e = c * variable + something that does not depend on it; none when e
// is not of that form.
std::optional<int64_t> coefficient_of(Expr e, Expr variable);
// Of an expression of sizes and constants, from the sizes.
int64_t evaluate(Expr e, const int64_t* sizes);
// `name_for` may give an expression in it a name, or an empty text.
std::string to_string(Expr e, const std::function<std::string(Expr)>& name_for = nullptr);

}  // namespace paddle::cinn
