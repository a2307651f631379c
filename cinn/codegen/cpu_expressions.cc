// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions as arithmetic of scalars or vectors.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cinn/codegen/cpu_emitter.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {

using namespace mlir;  // NOLINT: this file speaks MLIR's language

mlir::Value CpuEmitter::nothing_of(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type)) ? constant(type, 0) : integer(type, 0);
}

mlir::Value CpuEmitter::index(Value i64) {
  return b_.create<arith::IndexCastOp>(at_, b_.getIndexType(), i64);
}

// -- where an expression is computed -------------------------------------------------------------

bool CpuEmitter::reads_lane_register(Expr e) {
  if (e->op == ExprOp::kRegister) return registers_[static_cast<size_t>(e->integer)].code.is_vector;
  if (e->args.empty()) return false;
  if (const auto found = lane_known_.find(e); found != lane_known_.end()) return found->second;
  const bool answer =
      std::any_of(e->args.begin(), e->args.end(), [&](Expr a) { return reads_lane_register(a); });
  return lane_known_[e] = answer;
}

bool CpuEmitter::varies(Expr e) {
  return lanes_.variable && (depends_on(e, lanes_.variable) || reads_lane_register(e));
}

size_t CpuEmitter::scope_of(Expr e) {
  switch (e->op) {
    case ExprOp::kConstant:
    case ExprOp::kSize:
      return 0;
    case ExprOp::kVariable:
      return e == lanes_.variable ? lanes_.scope : variables_.at(e).second;
    case ExprOp::kRegister:
      return registers_[static_cast<size_t>(e->integer)].scope;
    case ExprOp::kLoad:
      if (written_[static_cast<size_t>(e->integer)]) return scopes_.size() - 1;
      break;
    default:
      break;
  }
  if (const auto found = scope_known_.find(e); found != scope_known_.end()) return found->second;
  size_t most = 0;
  for (Expr a : e->args) most = std::max(most, scope_of(a));
  // Outside of every loop nothing is known to run.
  if (e->op == ExprOp::kLoad)
    most = std::max<size_t>(most, std::min<size_t>(1, scopes_.size() - 1));
  return scope_known_[e] = most;
}

void CpuEmitter::go_to(size_t number) {
  Scope& s = scopes_[number];
  if (s.open) {
    b_.setInsertionPoint(s.open);
  } else {
    b_.setInsertionPointToEnd(s.block);
  }
}

void CpuEmitter::forget(const std::function<bool(Expr)>& changed) {
  std::unordered_map<Expr, bool> answers;
  const std::function<bool(Expr)> depends = [&](Expr e) -> bool {
    if (const auto found = answers.find(e); found != answers.end()) return found->second;
    bool answer = changed(e);
    for (Expr a : e->args) answer = answer || depends(a);
    return answers[e] = answer;
  };
  for (Scope& s : scopes_) {
    std::erase_if(s.known, [&](const auto& entry) { return depends(entry.first); });
    std::erase_if(s.first_lane, [&](const auto& entry) { return depends(entry.first); });
  }
}

CpuEmitter::Code CpuEmitter::code_of(Expr e) {
  if (e->op == ExprOp::kRegister) return registers_[static_cast<size_t>(e->integer)].code;
  if (e->op == ExprOp::kVariable && e != lanes_.variable) return {variables_.at(e).first};
  if (e->op == ExprOp::kSize) return {sizes_[static_cast<size_t>(e->integer)]};
  const size_t number = scope_of(e);
  auto& known = scopes_[number].known;
  if (const auto found = known.find(e); found != known.end()) return found->second;
  // Operands first: they may belong further out.
  if (e->op != ExprOp::kLoad) {
    for (Expr a : e->args) code_of(a);
  }
  const OpBuilder::InsertionGuard guard(b_);
  go_to(number);
  return scopes_[number].known[e] = make(e);
}

mlir::Value CpuEmitter::scalar(Expr e) {
  const Code code = code_of(e);
  PADDLE_CHECK_RUNTIME(!code.is_vector, "cinn: ", to_string(e), " differs from lane to lane.");
  return code.value;
}

mlir::Value CpuEmitter::widened(Code code, int width) {
  if (code.is_vector || width <= 1) return code.value;
  return b_.create<vector::SplatOp>(at_, VectorType::get({width}, code.value.getType()),
                                    code.value);
}

mlir::Value CpuEmitter::lanes(Expr e) { return widened(code_of(e), lanes_.width); }

mlir::Value CpuEmitter::first_lane(Expr e) {
  if (e == lanes_.variable) return lanes_.first;
  if (!depends_on(e, lanes_.variable)) return scalar(e);
  // Where it belongs: what is computed further out may read it as well.
  const size_t number = scope_of(e);
  auto& known = scopes_[number].first_lane;
  if (const auto found = known.find(e); found != known.end()) return found->second;
  llvm::SmallVector<Value, 3> args;
  for (Expr a : e->args) args.push_back(first_lane(a));
  const OpBuilder::InsertionGuard guard(b_);
  go_to(number);
  return known[e] = make_operation(e, args, false).value;
}

// -- instructions of the processor ---------------------------------------------------------------
// LLVM would join the selections of kMax and kMin into comparisons, which are slower.
mlir::Value CpuEmitter::extreme_of_registers(bool least, Value a, Value b) {
  const auto type = dyn_cast<VectorType>(a.getType());
  if (!type || !type.getElementType().isF32()) return Value();
  if (type.getNumElements() * 4 != vector_bytes_) return Value();
  const bool wide = vector_bytes_ == 64;
  llvm::SmallVector<Value> operands = {a, b};
  if (wide) operands.push_back(integer(b_.getI32Type(), 4));  // rounds as the thread says
  const llvm::StringRef name =
      wide    ? (least ? "llvm.x86.avx512.min.ps.512" : "llvm.x86.avx512.max.ps.512")
      : least ? "llvm.x86.avx.min.ps.256"
              : "llvm.x86.avx.max.ps.256";
  return b_.create<LLVM::CallIntrinsicOp>(at_, type, name, operands).getResult(0);
}

mlir::Value CpuEmitter::bfloat16_of_registers(Value x) {
  if (!rounds_to_bfloat16_) return Value();
  const auto like = [&](Type element) -> Type {
    const auto vector = dyn_cast<VectorType>(x.getType());
    return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  };
  const Value rounded = b_.create<arith::TruncFOp>(at_, like(b_.getBF16Type()), x);
  return b_.create<arith::BitcastOp>(at_, like(b_.getI16Type()), rounded);
}

// One step of Newton's from the 14 bits of the instruction: a division takes three times as long.
// Quotients of bfloat16 numbers lie at least 2^-17 of their size away from where rounding changes,
// so they are rounded as if they had been exact. Where the divisor is 0, infinite or NaN, its
// residual is NaN and the approximation is the reciprocal already.
mlir::Value CpuEmitter::quotient_of_registers(Value a, Value b) {
  const auto type = cast<VectorType>(a.getType());
  if (!only_16_bit_ || !type.getElementType().isF32()) return Value();
  if (vector_bytes_ != 64 || type.getNumElements() != 16) return Value();
  const Value operands[] = {b, constant(type, 0), integer(b_.getI16Type(), -1)};
  const Value start =
      b_.create<LLVM::CallIntrinsicOp>(at_, type, llvm::StringRef("llvm.x86.avx512.rcp14.ps.512"),
                                       ValueRange(operands))
          .getResult(0);
  const Value residual =
      b_.create<math::FmaOp>(at_, b_.create<arith::NegFOp>(at_, b), start, constant(type, 1));
  const Value refined = b_.create<math::FmaOp>(at_, start, residual, start);
  const Value is_number =
      b_.create<arith::CmpFOp>(at_, arith::CmpFPredicate::ORD, residual, residual);
  return b_.create<arith::MulFOp>(at_, a,
                                  b_.create<arith::SelectOp>(at_, is_number, refined, start));
}

namespace {

bool is_integer(Expr e, int64_t value) { return is_integer_constant(e, value); }

// Of bits_as_float32(shl(e + 127, 23)), which is 2^e: e.
Expr exponent_of(Expr e) {
  if (e->op != ExprOp::kBitcast || e->type != DType::kFloat32) return nullptr;
  const Expr bits = e->args[0];
  if (bits->op != ExprOp::kShiftLeft || !is_integer(bits->args[1], 23)) return nullptr;
  const Expr sum = bits->args[0];
  if (sum->op != ExprOp::kAdd) return nullptr;
  if (is_integer(sum->args[1], 127)) return sum->args[0];
  return is_integer(sum->args[0], 127) ? sum->args[1] : nullptr;
}
// The float32 of an integer that was rounded by adding 1.5 * 2^23: what that gives, less it again.
Expr as_float(ExprPool& pool, Expr n) {
  constexpr float kMagic = 12582912.0f;
  const Expr bits = n->args.empty() ? n : n->args[0];
  const bool rounded =
      (n->op == ExprOp::kSubtract && is_integer(n->args[1], std::bit_cast<int32_t>(kMagic))) ||
      (n->op == ExprOp::kAdd && is_integer(n->args[1], -std::bit_cast<int32_t>(kMagic)));
  if (!rounded || bits->op != ExprOp::kBitcast) return pool.cast(DType::kFloat32, n);
  return pool.subtract(bits->args[0], pool.constant(DType::kFloat32, kMagic));
}
bool is_half_of(Expr half, Expr n) {
  return half->op == ExprOp::kShiftRightArithmetic && half->args[0] == n &&
         is_integer(half->args[1], 1);
}

}  // namespace

// p * 2^(n / 2) * 2^(n - n / 2), as phi_kernels/functors/math.h scales by a power of two that may
// be out of the range of normal numbers, is one instruction of AVX-512 and rounds as well once.
std::optional<CpuEmitter::Code> CpuEmitter::make_scaled(Expr e) {
  if (vector_bytes_ != 64 || lanes_.width != 16 || e->type != DType::kFloat32) return {};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Expr rest = exponent_of(e->args[i]), product = e->args[1 - i];
    if (!rest || rest->op != ExprOp::kSubtract || product->op != ExprOp::kMultiply) continue;
    const Expr n = rest->args[0], half = rest->args[1];
    if (!is_half_of(half, n)) continue;
    for (const size_t k : {size_t{0}, size_t{1}}) {
      if (exponent_of(product->args[k]) != half) continue;
      const Code factor = code_of(product->args[1 - k]);
      const Code power = code_of(as_float(*kernel_.pool, n));
      if (!factor.is_vector || !power.is_vector) return {};
      const Value x = factor.value;
      const Value operands[] = {x, power.value, x, integer(b_.getI16Type(), -1),
                                integer(b_.getI32Type(), 4)};
      return Code{b_.create<LLVM::CallIntrinsicOp>(
                        at_, x.getType(), llvm::StringRef("llvm.x86.avx512.mask.scalef.ps.512"),
                        ValueRange(operands))
                      .getResult(0),
                  true};
    }
  }
  return {};
}

CpuEmitter::Code CpuEmitter::make(Expr e) {
  switch (e->op) {
    case ExprOp::kConstant:
      return {is_floating(e->type) ? constant(type_of(e->type), e->real)
                                   : integer(type_of(e->type), e->integer)};
    case ExprOp::kVariable: {  // of the lanes
      const auto type = cast<VectorType>(type_of(DType::kInt64, lanes_.width));
      llvm::SmallVector<int64_t> steps;
      for (int i = 0; i < lanes_.width; ++i) steps.push_back(i);
      const Value offsets = b_.create<arith::ConstantOp>(
          at_, DenseElementsAttr::get(type, llvm::ArrayRef<int64_t>(steps)));
      const Value first = b_.create<vector::SplatOp>(at_, type, lanes_.first);
      return {b_.create<arith::AddIOp>(at_, first, offsets), true};
    }
    case ExprOp::kLoad:
      return make_load(e);
    case ExprOp::kMultiply:
      if (const auto scaled = make_scaled(e)) return *scaled;
      break;
    default:
      break;
  }
  std::vector<Code> codes;
  bool is_vector = false;
  for (Expr a : e->args) {
    codes.push_back(code_of(a));
    is_vector = is_vector || codes.back().is_vector;
  }
  llvm::SmallVector<Value, 3> args;
  for (const Code& c : codes) args.push_back(widened(c, is_vector ? lanes_.width : 1));
  if (e->op == ExprOp::kDivide && is_vector) {
    if (const Value quotient = quotient_of_registers(args[0], args[1])) return {quotient, true};
  }
  return make_operation(e, args, is_vector);
}

// -- memory --------------------------------------------------------------------------------------

CpuEmitter::Code CpuEmitter::make_load(Expr e) {
  const auto number = static_cast<size_t>(e->integer);
  const DType stored = kernel_.buffers[number].dtype;
  const Value memory = memory_[number];
  const Type element = memory_type(stored);
  const Expr at = e->args[0];
  const bool by_lane = varies(at);
  const bool dense =
      by_lane && coefficient_of(at, lanes_.variable) == 1 && !reads_lane_register(at);
  if (by_lane && !dense) {
    const auto type = VectorType::get({lanes_.width}, element);
    const auto mask_type = VectorType::get({lanes_.width}, b_.getI1Type());
    const Value mask = lanes_.mask ? lanes_.mask : integer(mask_type, 1);
    const Value zero = index(integer(b_.getI64Type(), 0));
    const Value loaded = b_.create<vector::GatherOp>(at_, type, memory, ValueRange{zero}, lanes(at),
                                                     mask, nothing_of(type));
    return {from_memory(loaded, stored), true};
  }
  if (dense) {
    const auto type = VectorType::get({lanes_.width}, element);
    const Value first = index(first_lane(at));
    const Value loaded =
        lanes_.mask ? b_.create<vector::MaskedLoadOp>(at_, type, memory, ValueRange{first},
                                                      lanes_.mask, nothing_of(type))
                          .getResult()
                    : b_.create<vector::LoadOp>(at_, type, memory, ValueRange{first}).getResult();
    return {from_memory(loaded, stored), true};
  }
  const Value loaded = b_.create<memref::LoadOp>(at_, memory, ValueRange{index(scalar(at))});
  return {from_memory(loaded, stored)};
}

CpuEmitter::Code CpuEmitter::make_operation(Expr e, ArrayRef<Value> args, bool is_vector) {
  return {operation(e, args), is_vector};
}

}  // namespace paddle::cinn
