// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A loaded program with its inputs and outputs: what Predictor and its Python form are made of.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "inference/predictor/settings.h"
#include "pir/serialize/serialize.h"

namespace paddle_infer::detail {

// An input or output.
struct PADDLE_INFER_API Io {
  std::string name;
  bool is_input = false;
  paddle::Tensor value;     // undefined: none yet
  paddle::Shape announced;  // shape of the data to come
  std::vector<std::vector<size_t>> lod;

  // RuntimeError when this is an output, or when there is no value.
  void set(paddle::Tensor given);
  const paddle::Tensor& get(const char* operation) const;
  std::vector<int64_t> shape() const;
};

using IoPtr = std::shared_ptr<Io>;

// Sees a tensor that an operator reads or has made: "pd_op.relu:3" for the fourth operation of the
// program that runs (or of the branch or the loop that it is in), the name of the tensor.
using SeeTensor =
    std::function<void(const std::string& op, const std::string& name, paddle::Tensor& tensor)>;

class PADDLE_INFER_API Runner {
 public:
  // Reads the model of the settings; ValueError or NotImplementedError when it cannot be run.
  explicit Runner(const Settings& settings);
  ~Runner();
  // The same program with inputs and outputs of its own.
  std::shared_ptr<Runner> clone() const;

  const std::vector<IoPtr>& inputs() const { return inputs_; }
  const std::vector<IoPtr>& outputs() const { return outputs_; }
  // ValueError that lists the names when there is none.
  const IoPtr& input(const std::string& name) const;
  const IoPtr& output(const std::string& name) const;
  const paddle::pir::SavedProgram& program() const { return *program_; }

  void run();
  uint64_t shrink();
  // From now on `see` is called with each tensor that an operator reads, before it runs, or has
  // made. A clone has none.
  void add_hook(bool on_results, SeeTensor see);

 private:
  struct Profile;
  explicit Runner(const Runner& other);
  void make_ios();
  paddle::TensorList run_program(const paddle::TensorList& given,
                                 std::vector<paddle::pir::SequenceOffsets>& made) const;
  static const IoPtr& find(const std::vector<IoPtr>& list, const char* kind,
                           const std::string& name);

  std::shared_ptr<const paddle::pir::SavedProgram> program_;
  std::shared_ptr<Profile> profile_;  // with EnableProfile; logs when its last Runner goes
  int threads_ = 0;
  std::vector<IoPtr> inputs_, outputs_;
  struct Hooks;
  std::shared_ptr<Hooks> hooks_;  // null: there are none
};

// Registers the operators and installs the layers of the dispatcher, once.
PADDLE_INFER_API void start_library();

// Takes the code of the libraries out of the resident memory: that of initialisers, registrations
// and readers lies all over them and is not used again. What is comes back from the page cache, at
// less than a millisecond in all.
void forget_code();

}  // namespace paddle_infer::detail
