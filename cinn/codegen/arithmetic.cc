// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of the loop IR in the dialects arith, math and llvm.
#include "cinn/codegen/arithmetic.h"

#include <algorithm>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
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

mlir::Type Arithmetic::type_of(DType type, int width) {
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

mlir::Type Arithmetic::memory_type(DType type) {
  if (type == DType::kBool) return b_.getI8Type();
  if (type == DType::kFloat16) return b_.getF16Type();
  if (type == DType::kBFloat16) return b_.getI16Type();
  return type_of(type);
}

mlir::Value Arithmetic::constant(Type type, double value) {
  const Type element = getElementTypeOrSelf(type);
  const FloatAttr attribute = b_.getFloatAttr(element, value);
  if (const auto vector = dyn_cast<VectorType>(type)) {
    return b_.create<arith::ConstantOp>(at_, DenseElementsAttr::get(vector, attribute.getValue()));
  }
  return b_.create<arith::ConstantOp>(at_, attribute);
}

mlir::Value Arithmetic::integer(Type type, int64_t value) {
  const IntegerAttr attribute = b_.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (const auto vector = dyn_cast<VectorType>(type)) {
    return b_.create<arith::ConstantOp>(at_, DenseElementsAttr::get(vector, attribute.getValue()));
  }
  return b_.create<arith::ConstantOp>(at_, attribute);
}

// -- memory --------------------------------------------------------------------------------------

mlir::Value Arithmetic::from_memory(Value loaded, DType stored) {
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

mlir::Value Arithmetic::to_memory(Value value, DType stored) {
  switch (stored) {
    case DType::kBool:
      return b_.create<arith::ExtUIOp>(at_, with_element(value, b_.getI8Type()), value);
    case DType::kFloat16:
      return b_.create<arith::TruncFOp>(at_, with_element(value, b_.getF16Type()), value);
    case DType::kBFloat16: {
      if (const Value bits = bfloat16_of_registers(value)) return bits;
      // By integers, to nearest even.
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

// -- operations ----------------------------------------------------------------------------------

// Integer division that never traps: by 0 it gives 0, by -1 the negative.
mlir::Value Arithmetic::divided(Expr e, Value a, Value b) {
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

mlir::Value Arithmetic::make_cast(Expr e, Value x, int width) {
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

mlir::Value Arithmetic::operation(Expr e, ArrayRef<Value> x) {
  const int width = std::max(width_of(x[0]), 1);
  const DType type = e->args.empty() ? e->type : e->args[0]->type;
  const bool real = is_floating(type);
  const bool is_unsigned = type == DType::kUInt8 || type == DType::kBool;
  const auto contract = contraction(b_.getContext());
  const auto done = [](Value v) { return v; };
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
      throw_error(ErrorKind::kRuntime, str("cinn: ", name_of(e->op), " has no meaning here."));
  }
}

}  // namespace paddle::cinn
