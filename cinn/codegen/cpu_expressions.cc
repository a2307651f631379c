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

namespace {

// Products and sums may be contracted into one instruction; nothing else is relaxed.
arith::FastMathFlagsAttr contraction(MLIRContext* context) {
  return arith::FastMathFlagsAttr::get(context, arith::FastMathFlags::contract);
}

int width_of(Value v) {
  const auto type = dyn_cast<VectorType>(v.getType());
  return type ? static_cast<int>(type.getNumElements()) : 0;
}

Type with_element(Value like, Type element) {
  const int width = width_of(like);
  return width ? Type(VectorType::get({width}, element)) : element;
}

bool is_size_only(Expr e) {
  return e->op == ExprOp::kSize || e->op == ExprOp::kConstant ||
         (!e->args.empty() && e->op != ExprOp::kLoad &&
          std::all_of(e->args.begin(), e->args.end(), is_size_only));
}

}  // namespace

mlir::Type CpuEmitter::type_of(DType type, int width) {
  Type element;
  switch (type) {
    case DType::kBool:
      element = b_.getI1Type();
      break;
    case DType::kUInt8:
    case DType::kInt8:
      element = b_.getI8Type();
      break;
    case DType::kInt16:
      element = b_.getI16Type();
      break;
    case DType::kInt32:
      element = b_.getI32Type();
      break;
    case DType::kInt64:
      element = b_.getI64Type();
      break;
    case DType::kFloat32:
      element = b_.getF32Type();
      break;
    case DType::kFloat64:
      element = b_.getF64Type();
      break;
    default:
      throw_error(ErrorKind::kRuntime, str("cinn: no code computes in ", type, "."));
  }
  return width > 1 ? Type(VectorType::get({width}, element)) : element;
}

mlir::Type CpuEmitter::memory_type(DType type) {
  if (type == DType::kBool) return b_.getI8Type();
  if (type == DType::kFloat16) return b_.getF16Type();
  if (type == DType::kBFloat16) return b_.getI16Type();
  return type_of(type);
}

mlir::Value CpuEmitter::constant(Type type, double value) {
  const Type element = getElementTypeOrSelf(type);
  const FloatAttr attribute = b_.getFloatAttr(element, value);
  if (const auto vector = dyn_cast<VectorType>(type)) {
    return b_.create<arith::ConstantOp>(at_, DenseElementsAttr::get(vector, attribute.getValue()));
  }
  return b_.create<arith::ConstantOp>(at_, attribute);
}

mlir::Value CpuEmitter::integer(Type type, int64_t value) {
  const IntegerAttr attribute = b_.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (const auto vector = dyn_cast<VectorType>(type)) {
    return b_.create<arith::ConstantOp>(at_, DenseElementsAttr::get(vector, attribute.getValue()));
  }
  return b_.create<arith::ConstantOp>(at_, attribute);
}

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
  return make_operation(e, args, is_vector);
}

// -- memory --------------------------------------------------------------------------------------

mlir::Value CpuEmitter::from_memory(Value loaded, DType stored) {
  switch (stored) {
    case DType::kBool:
      return b_.create<arith::CmpIOp>(at_, arith::CmpIPredicate::ne, loaded,
                                      integer(loaded.getType(), 0));
    case DType::kFloat16:
      return b_.create<arith::ExtFOp>(at_, with_element(loaded, b_.getF32Type()), loaded);
    case DType::kBFloat16: {
      const Type wide = with_element(loaded, b_.getI32Type());
      const Value bits = b_.create<arith::ShLIOp>(at_, b_.create<arith::ExtUIOp>(at_, wide, loaded),
                                                  integer(wide, 16));
      return b_.create<arith::BitcastOp>(at_, with_element(loaded, b_.getF32Type()), bits);
    }
    default:
      return loaded;
  }
}

mlir::Value CpuEmitter::to_memory(Value value, DType stored) {
  switch (stored) {
    case DType::kBool:
      return b_.create<arith::ExtUIOp>(at_, with_element(value, b_.getI8Type()), value);
    case DType::kFloat16:
      return b_.create<arith::TruncFOp>(at_, with_element(value, b_.getF16Type()), value);
    case DType::kBFloat16: {
      // By integers, to nearest even: the instruction takes subnormal numbers for zero.
      const Type wide = with_element(value, b_.getI32Type());
      const Value bits = b_.create<arith::BitcastOp>(at_, wide, value);
      const Value high = b_.create<arith::ShRUIOp>(at_, bits, integer(wide, 16));
      const Value odd = b_.create<arith::AndIOp>(at_, high, integer(wide, 1));
      const Value half = b_.create<arith::AddIOp>(at_, odd, integer(wide, 0x7fff));
      const Value rounded = b_.create<arith::ShRUIOp>(
          at_, b_.create<arith::AddIOp>(at_, bits, half), integer(wide, 16));
      const Value is_nan = b_.create<arith::CmpFOp>(at_, arith::CmpFPredicate::UNO, value, value);
      const Value quiet = b_.create<arith::OrIOp>(at_, high, integer(wide, 0x40));
      const Value chosen = b_.create<arith::SelectOp>(at_, is_nan, quiet, rounded);
      return b_.create<arith::TruncIOp>(at_, with_element(value, b_.getI16Type()), chosen);
    }
    default:
      return value;
  }
}

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

// -- operations ----------------------------------------------------------------------------------

// Integer division that never traps: by 0 it gives 0, by -1 the negative.
mlir::Value CpuEmitter::divided(Expr e, Value a, Value b) {
  const Type type = a.getType();
  const Value zero = integer(type, 0), one = integer(type, 1);
  const auto compare = [&](arith::CmpIPredicate p, Value x, Value y) -> Value {
    return b_.create<arith::CmpIOp>(at_, p, x, y);
  };
  const auto select = [&](Value c, Value x, Value y) -> Value {
    return b_.create<arith::SelectOp>(at_, c, x, y);
  };
  const Expr divisor = e->args[1];
  const bool modulo = e->op == ExprOp::kModulo, floor = modulo || e->op == ExprOp::kFloorDivide;
  if (e->type == DType::kUInt8) {
    const Value is_zero = compare(arith::CmpIPredicate::eq, b, zero);
    const Value safe = select(is_zero, one, b);
    const Value result = modulo ? Value(b_.create<arith::RemUIOp>(at_, a, safe))
                                : Value(b_.create<arith::DivUIOp>(at_, a, safe));
    return select(is_zero, zero, result);
  }
  const bool positive = divisor->op == ExprOp::kConstant && divisor->integer > 0;
  Value safe = b, is_zero, is_minus;
  if (!positive) {
    is_zero = compare(arith::CmpIPredicate::eq, b, zero);
    safe = select(is_zero, one, b);
    if (!is_size_only(divisor)) {
      is_minus = compare(arith::CmpIPredicate::eq, b, integer(type, -1));
      safe = select(is_minus, one, safe);
    }
  }
  Value quotient = b_.create<arith::DivSIOp>(at_, a, safe);
  Value rest = b_.create<arith::SubIOp>(at_, a, b_.create<arith::MulIOp>(at_, quotient, safe));
  if (floor) {
    const Value left = compare(arith::CmpIPredicate::ne, rest, zero);
    const Value signs =
        compare(arith::CmpIPredicate::slt, b_.create<arith::XOrIOp>(at_, rest, safe), zero);
    const Value below = b_.create<arith::AndIOp>(at_, left, signs);
    quotient = select(below, b_.create<arith::SubIOp>(at_, quotient, one), quotient);
    rest = select(below, b_.create<arith::AddIOp>(at_, rest, safe), rest);
  }
  Value result = modulo ? rest : quotient;
  if (is_minus) {
    result =
        select(is_minus, modulo ? zero : Value(b_.create<arith::SubIOp>(at_, zero, a)), result);
  }
  return is_zero ? select(is_zero, zero, result) : result;
}

mlir::Value CpuEmitter::make_cast(Expr e, Value x, int width) {
  const DType from = e->args[0]->type, to = e->type;
  const Type type = type_of(to, width);
  if (is_floating(from) && is_floating(to)) {
    return to == DType::kFloat64 ? Value(b_.create<arith::ExtFOp>(at_, type, x))
                                 : Value(b_.create<arith::TruncFOp>(at_, type, x));
  }
  if (is_floating(to)) {
    const bool is_unsigned = from == DType::kBool || from == DType::kUInt8;
    return is_unsigned ? Value(b_.create<arith::UIToFPOp>(at_, type, x))
                       : Value(b_.create<arith::SIToFPOp>(at_, type, x));
  }
  if (is_floating(from)) {
    const char* name = to == DType::kUInt8 ? "llvm.fptoui.sat" : "llvm.fptosi.sat";
    return b_.create<LLVM::CallIntrinsicOp>(at_, type, llvm::StringRef(name), ValueRange{x})
        .getResult(0);
  }
  const size_t before = from == DType::kBool ? 0 : size_of(from), after = size_of(to);
  if (before == after) return x;
  if (before > after) return b_.create<arith::TruncIOp>(at_, type, x);
  const bool is_unsigned = from == DType::kBool || from == DType::kUInt8;
  return is_unsigned ? Value(b_.create<arith::ExtUIOp>(at_, type, x))
                     : Value(b_.create<arith::ExtSIOp>(at_, type, x));
}

CpuEmitter::Code CpuEmitter::make_operation(Expr e, ArrayRef<Value> x, bool is_vector) {
  const int width = is_vector ? lanes_.width : 1;
  const DType type = e->args.empty() ? e->type : e->args[0]->type;
  const bool real = is_floating(type);
  const bool is_unsigned = type == DType::kUInt8 || type == DType::kBool;
  const auto contract = contraction(b_.getContext());
  const auto done = [&](Value v) { return Code{v, is_vector}; };
  const auto compare = [&](arith::CmpFPredicate f, arith::CmpIPredicate s, arith::CmpIPredicate u) {
    return real ? done(b_.create<arith::CmpFOp>(at_, f, x[0], x[1]))
                : done(b_.create<arith::CmpIOp>(at_, is_unsigned ? u : s, x[0], x[1]));
  };
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  switch (e->op) {
    case ExprOp::kNegate:
      return real ? done(b_.create<arith::NegFOp>(at_, x[0]))
                  : done(b_.create<arith::SubIOp>(at_, integer(x[0].getType(), 0), x[0]));
    case ExprOp::kAbs:
      return real          ? done(b_.create<math::AbsFOp>(at_, x[0]))
             : is_unsigned ? done(x[0])
                           : done(b_.create<math::AbsIOp>(at_, x[0]));
    case ExprOp::kSqrt:
      return done(b_.create<math::SqrtOp>(at_, x[0]));
    case ExprOp::kFloor:
      return done(b_.create<math::FloorOp>(at_, x[0]));
    case ExprOp::kCeil:
      return done(b_.create<math::CeilOp>(at_, x[0]));
    case ExprOp::kTrunc:
      return done(b_.create<math::TruncOp>(at_, x[0]));
    case ExprOp::kRoundEven:
      return done(b_.create<math::RoundEvenOp>(at_, x[0]));
    case ExprOp::kNot:
      return done(b_.create<arith::XOrIOp>(at_, x[0], integer(x[0].getType(), -1)));
    case ExprOp::kCast:
      return done(make_cast(e, x[0], width));
    case ExprOp::kBitcast:
      if (!is_floating(e->type) && !real) return done(x[0]);
      return done(b_.create<arith::BitcastOp>(at_, type_of(e->type, width), x[0]));
    case ExprOp::kRound16: {
      const auto to = static_cast<DType>(e->integer);
      return done(from_memory(to_memory(x[0], to), to));
    }
    case ExprOp::kAdd:
      return real ? done(b_.create<arith::AddFOp>(at_, x[0], x[1], contract))
                  : done(b_.create<arith::AddIOp>(at_, x[0], x[1]));
    case ExprOp::kSubtract:
      return real ? done(b_.create<arith::SubFOp>(at_, x[0], x[1], contract))
                  : done(b_.create<arith::SubIOp>(at_, x[0], x[1]));
    case ExprOp::kMultiply:
      return real ? done(b_.create<arith::MulFOp>(at_, x[0], x[1], contract))
                  : done(b_.create<arith::MulIOp>(at_, x[0], x[1]));
    case ExprOp::kDivide:
      return real ? done(b_.create<arith::DivFOp>(at_, x[0], x[1])) : done(divided(e, x[0], x[1]));
    case ExprOp::kFloorDivide:
    case ExprOp::kModulo:
      return done(divided(e, x[0], x[1]));
    case ExprOp::kMin:
    case ExprOp::kMax: {
      const bool least = e->op == ExprOp::kMin;
      if (!real) {
        const I predicate = is_unsigned ? (least ? I::ult : I::ugt) : (least ? I::slt : I::sgt);
        const Value first = b_.create<arith::CmpIOp>(at_, predicate, x[0], x[1]);
        return done(b_.create<arith::SelectOp>(at_, first, x[0], x[1]));
      }
      // The comparison is false for NaN, so that of the second operand comes through.
      Value chosen = extreme_of_registers(least, x[0], x[1]);
      if (!chosen) {
        const Value first = b_.create<arith::CmpFOp>(at_, least ? F::OLT : F::OGT, x[0], x[1]);
        chosen = b_.create<arith::SelectOp>(at_, first, x[0], x[1]);
      }
      const Value is_nan = b_.create<arith::CmpFOp>(at_, F::UNO, x[0], x[0]);
      return done(b_.create<arith::SelectOp>(at_, is_nan, x[0], chosen));
    }
    case ExprOp::kCopySign:
      return done(b_.create<math::CopySignOp>(at_, x[0], x[1]));
    case ExprOp::kAnd:
      return done(b_.create<arith::AndIOp>(at_, x[0], x[1]));
    case ExprOp::kOr:
      return done(b_.create<arith::OrIOp>(at_, x[0], x[1]));
    case ExprOp::kXor:
      return done(b_.create<arith::XOrIOp>(at_, x[0], x[1]));
    case ExprOp::kShiftLeft:
      return done(b_.create<arith::ShLIOp>(at_, x[0], x[1]));
    case ExprOp::kShiftRight:
      return done(b_.create<arith::ShRUIOp>(at_, x[0], x[1]));
    case ExprOp::kShiftRightArithmetic:
      return done(b_.create<arith::ShRSIOp>(at_, x[0], x[1]));
    case ExprOp::kLess:
      return compare(F::OLT, I::slt, I::ult);
    case ExprOp::kLessEqual:
      return compare(F::OLE, I::sle, I::ule);
    case ExprOp::kEqual:
      return compare(F::OEQ, I::eq, I::eq);
    case ExprOp::kNotEqual:
      return compare(F::UNE, I::ne, I::ne);
    case ExprOp::kSelect:
      return done(b_.create<arith::SelectOp>(at_, x[0], x[1], x[2]));
    case ExprOp::kFma:
      return done(b_.create<math::FmaOp>(at_, x[0], x[1], x[2]));
    default:
      throw_error(ErrorKind::kRuntime,
                  str("cinn: ", name_of(e->op), " has no meaning in code for the CPU."));
  }
}

}  // namespace paddle::cinn
