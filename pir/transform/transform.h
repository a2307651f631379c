// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rewrites of whole programs. None removes, merges or moves operations that draw random numbers or
// have side effects, and none makes memory shared that the caller could tell apart
// (dialect/effects.h).
#pragma once

#include "pir/dialect/effects.h"
#include "pir/drr/rule.h"
#include "pir/pass/pass.h"

namespace paddle::pir {

// Erases pure operations without uses, in regions too; `kept` values count as used. How many.
PADDLE_API size_t eliminate_dead_code(Block& block, const std::vector<Value*>& kept = {});
// Takes from loops, in regions too, the values that they carry and nothing reads. The loop is
// another operation then, with results of its own. How many values.
PADDLE_API size_t drop_unread_carriers(Block& block);
// Merges pure operations of one block with equal name, operands and attributes. How many.
// builtin.results separates: nothing is merged across it, so that the gradient part of a captured
// program keeps no more values alive than it did.
PADDLE_API size_t eliminate_common_subexpressions(Block& block);
// Evaluates operators whose operands are constants; the result is a constant of at most
// kMaxFoldedBytes. How many.
inline constexpr size_t kMaxFoldedBytes = 1 << 16;
PADDLE_API size_t fold_constants(Block& block);

// Small pd_op.full operations that are read as tensors are made once, as builtin.constant, not on
// every run. How many.
PADDLE_API size_t hoist_constants(Block& block);

// Rules that drop or join operators without changing values.
PADDLE_API void add_simplify_rules(RuleSet& rules);
// Rules that replace several operators by a fused one.
PADDLE_API void add_fuse_rules(RuleSet& rules);
PADDLE_API void add_swiglu_rules(RuleSet& rules);

// Convolutions and products with what follows them as one operator (fuse_epilogue.cc).
PADDLE_API void add_epilogue_patterns(PatternSet& patterns);
PADDLE_API void add_linear_function_patterns(PatternSet& patterns);
PADDLE_API void add_pyramid_patterns(PatternSet& patterns);

// Norms and attention that models spell out (fuse_norm.cc, fuse_attention.cc).
PADDLE_API void add_layer_norm_rules(RuleSet& rules);
PADDLE_API void add_rms_norm_rules(RuleSet& rules);
PADDLE_API void add_attention_patterns(PatternSet& patterns);
// Rotary position embedding that models spell out (fuse_rotation.cc).
PADDLE_API void add_rotation_patterns(PatternSet& patterns);
// Convolutions and products in bfloat16, and bfloat16 between them (bfloat16.cc).
PADDLE_API void add_bfloat16_conv_patterns(PatternSet& patterns);
PADDLE_API void add_bfloat16_matmul_patterns(PatternSet& patterns);
PADDLE_API void add_bfloat16_patterns(PatternSet& patterns);
// Dropout that drops nothing (leave_training.cc).
PADDLE_API void add_inference_patterns(PatternSet& patterns);

// Gives operations that have a form for training that for inference, in regions too.
PADDLE_API void set_to_inference(Operation& op);
PADDLE_API void set_to_inference(Block& block);

// Evaluates what depends on weights alone: operators whose operands are constants of any size,
// unless the result is larger than all of them together. How many.
PADDLE_API size_t fold_weights(Block& block);

// Adds every pass of this library to PassRegistry; idempotent.
PADDLE_API void register_passes();

// The pipelines, each one list of pass names (pipelines.cc).
enum class Pipeline : uint8_t {
  kCaptured,  // to_static, before the first run
  kTraining,  // forward parts of to_static, before their gradient is recorded
  kLoaded,    // programs read from files
  kDeployed,  // the same with their parameters as constants, for inference
  kDeployedBfloat16,
};
PADDLE_API const std::vector<std::string>& pipeline(Pipeline which);
// Runs these passes, unless FLAGS_pir_apply_passes is off. ValueError for an unknown one.
PADDLE_API std::vector<PassRecord> run_passes(const std::vector<std::string>& names,
                                              Program& program);
// Runs a pipeline, unless FLAGS_pir_apply_passes is off; passes named in `without` are left out.
PADDLE_API std::vector<PassRecord> run_pipeline(Pipeline which, Program& program,
                                                const std::vector<std::string>& without = {});

}  // namespace paddle::pir
