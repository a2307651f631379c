// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of the loop IR on MLIR values, scalars or vectors: what emitters of all targets share.
// Private to codegen.
#pragma once

#include "cinn/loop/expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace paddle::cinn {

class Arithmetic {
 protected:
  explicit Arithmetic(mlir::MLIRContext& context) : b_(&context), at_(b_.getUnknownLoc()) {}
  virtual ~Arithmetic() = default;

  // One that reads nothing but its operands.
  mlir::Value operation(Expr e, llvm::ArrayRef<mlir::Value> args);
  // The larger or smaller of float32 registers by one instruction of the processor, the second
  // where one is NaN; null where there is none.
  virtual mlir::Value extreme_of_registers(bool, mlir::Value, mlir::Value) { return {}; }
  // float32 registers rounded to bfloat16 by one instruction of the processor, as 16-bit integers;
  // null where there is none.
  virtual mlir::Value bfloat16_of_registers(mlir::Value) { return {}; }
  // Between the form in memory and the one that is computed with.
  mlir::Value from_memory(mlir::Value loaded, DType stored);
  mlir::Value to_memory(mlir::Value value, DType stored);

  mlir::Type type_of(DType type, int width = 1);
  mlir::Type memory_type(DType type);
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value integer(mlir::Type type, int64_t value);

  mlir::OpBuilder b_;
  mlir::Location at_;

 private:
  mlir::Value make_cast(Expr e, mlir::Value x, int width);
  mlir::Value divided(Expr e, mlir::Value a, mlir::Value b);
};

}  // namespace paddle::cinn
