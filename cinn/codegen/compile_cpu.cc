// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From an MLIR module to an object: passes, LLVM's optimisations, code of the processor.
#include <chrono>

#include "cinn/codegen/cpu.h"
#include "cinn/codegen/cpu_emitter.h"
#include "cinn/codegen/llvm_steps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {
namespace {

void start_llvm() {
  [[maybe_unused]] static const bool started = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
}

// One context per thread: making one takes longer than compiling a small kernel.
mlir::MLIRContext& context_of_thread() {
  thread_local const std::unique_ptr<mlir::MLIRContext> context = [] {
    mlir::DialectRegistry registry;
    registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                    mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                    mlir::vector::VectorDialect>();
    mlir::registerBuiltinDialectTranslation(registry);
    mlir::registerLLVMDialectTranslation(registry);
    auto made =
        std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    made->loadAllAvailableDialects();
    return made;
  }();
  return *context;
}

void lower(mlir::ModuleOp module, const std::string& name) {
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(mlir::createCSEPass());
  passes.addPass(mlir::createConvertSCFToCFPass());
  passes.addPass(mlir::createConvertVectorToLLVMPass());
  passes.addPass(mlir::createConvertMathToLLVMPass());
  passes.addPass(mlir::createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(mlir::createArithToLLVMConversionPass());
  passes.addPass(mlir::createConvertControlFlowToLLVMPass());
  passes.addPass(mlir::createConvertFuncToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  PADDLE_CHECK_RUNTIME(mlir::succeeded(passes.run(module)), "cinn: kernel ", name,
                       " could not be lowered to LLVM.");
}

std::unique_ptr<llvm::TargetMachine> machine_for(const CpuTarget& target) {
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
  PADDLE_CHECK_RUNTIME(found, "cinn: LLVM has no code generator for ", triple, ": ", error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

}  // namespace

ObjectCode compile_for_cpu(const Kernel& kernel, const CpuTarget& target, Dumps* dumps) {
  const auto begin = std::chrono::steady_clock::now();
  start_llvm();
  mlir::MLIRContext& context = context_of_thread();
  std::string problems;
  const mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& d) {
    problems += d.str() + "\n";
    return mlir::success();
  });
  const auto module = CpuEmitter(context, kernel, target).emit();
  if (dumps) dumps->mlir = text_of(*module);
  PADDLE_CHECK_RUNTIME(mlir::succeeded(mlir::verify(*module)), "cinn: kernel ", kernel.name,
                       " is not well formed:\n", problems);
  lower(*module, kernel.name);
  if (dumps) dumps->lowered = text_of(*module);
  llvm::LLVMContext llvm_context;
  const std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(*module, llvm_context);
  PADDLE_CHECK_RUNTIME(code, "cinn: kernel ", kernel.name, " has no LLVM form:\n", problems);
  const auto machine = machine_for(target);
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple().str());
  optimise(*code, *machine);
  if (dumps) {
    llvm::raw_string_ostream out(dumps->llvm);
    code->print(out, nullptr);
    const auto copy = llvm::CloneModule(*code);
    dumps->assembly = generated(*copy, *machine, llvm::CodeGenFileType::AssemblyFile);
  }
  ObjectCode object;
  object.bytes = generated(*code, *machine, llvm::CodeGenFileType::ObjectFile);
  object.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return object;
}

}  // namespace paddle::cinn
