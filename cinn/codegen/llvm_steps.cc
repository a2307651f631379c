// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// LLVM's optimisations and code generator.
#include "cinn/codegen/llvm_steps.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {

std::string text_of(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text;
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  constexpr const char* kPasses =
      "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),gvn,"
      "instcombine<no-verify-fixpoint>,simplifycfg)";
  if (llvm::Error error = builder.parsePassPipeline(passes, kPasses)) {
    throw_error(ErrorKind::kRuntime, "cinn: " + llvm::toString(std::move(error)));
  }
  passes.run(module, modules);
}

std::string generated(llvm::Module& module, llvm::TargetMachine& machine,
                      llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  PADDLE_CHECK_RUNTIME(!machine.addPassesToEmitFile(passes, out, nullptr, type),
                       "cinn: LLVM cannot write this kind of file for the target.");
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace paddle::cinn
