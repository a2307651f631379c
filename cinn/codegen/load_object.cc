// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Objects in memory, through LLVM's JIT linker.
#include "cinn/codegen/cpu.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {
namespace {

[[noreturn]] void throw_linking(llvm::Error error) {
  throw_error(ErrorKind::kRuntime,
              "cinn: a compiled kernel cannot be loaded: " + llvm::toString(std::move(error)));
}

llvm::orc::LLJIT& linker() {
  static const auto jit = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    auto made = llvm::orc::LLJITBuilder().create();
    if (!made) throw_linking(made.takeError());
    return std::move(*made);
  }();
  return *jit;
}

// Each object is a library of its own, which is removed with it.
class Code final : public LoadedCode {
 public:
  Code(llvm::orc::JITDylib& library, std::vector<StageFunction> stages)
      : library_(library), stages_(std::move(stages)) {}
  ~Code() override { llvm::consumeError(linker().getExecutionSession().removeJITDylib(library_)); }
  StageFunction stage(size_t i) const override { return stages_.at(i); }

 private:
  llvm::orc::JITDylib& library_;
  std::vector<StageFunction> stages_;
};

}  // namespace

std::unique_ptr<LoadedCode> load_object(std::string_view bytes, size_t num_stages) {
  static std::atomic<uint64_t> number{0};
  llvm::orc::LLJIT& jit = linker();
  auto library = jit.createJITDylib(str("kernel_", number++));
  if (!library) throw_linking(library.takeError());
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(bytes.data(), bytes.size()));
  if (auto error = jit.addObjectFile(*library, std::move(buffer))) throw_linking(std::move(error));
  std::vector<StageFunction> stages;
  for (size_t i = 0; i < num_stages; ++i) {
    auto address = jit.lookup(*library, str("stage_", i));
    if (!address) throw_linking(address.takeError());
    stages.push_back(address->toPtr<StageFunction>());
  }
  return std::make_unique<Code>(*library, std::move(stages));
}

}  // namespace paddle::cinn
