// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The way from LLVM IR on, which all targets of LLVM share. Private to codegen.
#pragma once

#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/IR/BuiltinOps.h"

namespace paddle::cinn {

std::string text_of(mlir::ModuleOp module);
// The loops are as they shall be: nothing is unrolled or made of vectors any more.
void optimise(llvm::Module& module, llvm::TargetMachine& machine);
std::string generated(llvm::Module& module, llvm::TargetMachine& machine,
                      llvm::CodeGenFileType type);

}  // namespace paddle::cinn
