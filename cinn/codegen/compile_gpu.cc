// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From an MLIR module for a GPU to PTX. Nothing of CUDA is needed; its assembler or its driver goes
// on from there.
#include "cinn/codegen/blocks.h"
#include "cinn/codegen/gpu_emitter.h"
#include "cinn/codegen/llvm_steps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/MC/TargetRegistry.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "paddle_core/base/error.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace paddle::cinn {
namespace {

constexpr const char* kTriple = "nvptx64-nvidia-cuda";

std::unique_ptr<llvm::TargetMachine> machine_for(const std::string& architecture) {
  [[maybe_unused]] static const bool started = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(kTriple, error);
  PADDLE_CHECK_RUNTIME(found, "cinn: LLVM has no code generator for ", kTriple, ": ", error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(kTriple, architecture, "+ptx80", options, llvm::Reloc::PIC_));
}

// A context for one kernel: unlike those of the CPU few are made.
mlir::DialectRegistry dialects() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  return registry;
}

}  // namespace

BlockSource ptx_source(const Kernel& kernel, const std::string& architecture) {
  PADDLE_CHECK_VALUE(architecture == "sm_80" || architecture == "sm_90",
                     "cinn: PTX is made for sm_80 and sm_90, not for ", architecture, ".");
  mlir::MLIRContext context(dialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string problems;
  const mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& d) {
    problems += d.str() + "\n";
    return mlir::success();
  });
  BlockSource source;
  const auto module = GpuEmitter(context, kernel).emit(source.entries);
  PADDLE_CHECK_RUNTIME(mlir::succeeded(mlir::verify(*module)), "cinn: kernel ", kernel.name,
                       " is not well formed:\n", problems);
  mlir::PassManager passes(&context);
  passes.enableVerifier(false);
  passes.addPass(mlir::createCSEPass());
  passes.addPass(mlir::createConvertSCFToCFPass());
  passes.addPass(mlir::createConvertMathToLLVMPass());
  passes.addPass(mlir::createArithToLLVMConversionPass());
  passes.addPass(mlir::createConvertControlFlowToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  PADDLE_CHECK_RUNTIME(mlir::succeeded(passes.run(*module)), "cinn: kernel ", kernel.name,
                       " could not be lowered to LLVM:\n", problems);
  llvm::LLVMContext llvm_context;
  const std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(*module, llvm_context);
  PADDLE_CHECK_RUNTIME(code, "cinn: kernel ", kernel.name, " has no LLVM form:\n", problems);
  const auto machine = machine_for(architecture);
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(kTriple);
  optimise(*code, *machine);
  source.text = generated(*code, *machine, llvm::CodeGenFileType::AssemblyFile);
  return source;
}

}  // namespace paddle::cinn
