// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every pipeline as one list of pass names, and the table of passes. Passes of higher layers are
// named here and added to PassRegistry by their own library.
#include <algorithm>

#include "paddle_core/shape/sym.h"
#include "pir/transform/decompose.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

using Names = std::vector<std::string>;

// Folding makes the constants that rules and merging compare; constants are made outside of the
// runs when none of them changes any more.
const Names& captured() {
  static const Names names = {"fold", "simplify", "fuse_linear", "cse", "hoist_constants", "dce"};
  return names;
}

// What is fused here has a gradient of its own, which one pass of operators could not become.
const Names& training() {
  static const Names names = {"fold",          "simplify",    "cse", "fuse_rms_norm",
                              "fuse_rotation", "fuse_swiglu", "dce"};
  return names;
}

const Names& loaded() {
  static const Names names = {"dce", "fold", "simplify", "fuse_linear", "cse", "hoist_constants",
                              "dce"};
  return names;
}

// Dead code goes first, so that patterns see the only user of a value. Norms and attention are
// found as they are spelled out, before epilogues take single operators of them; what attention
// leaves is simplified in between. Precision follows epilogues, whose operators it looks for. At
// the end the operators that rewrites put on weights are evaluated, and what nothing uses any more
// is dropped.
Names deployed_with(const Names& precision) {
  Names names = {"dce",           "drop_carriers",   "fold",          "leave_training", "simplify",
                 "cse",           "fuse_layer_norm", "fuse_rms_norm", "fuse_attention", "simplify",
                 "fuse_epilogue", "fuse_pyramid"};
  names.insert(names.end(), precision.begin(), precision.end());
  names.insert(names.end(), {"fold_weights", "cse", "hoist_constants", "dce"});
  return names;
}

const Names& deployed() {
  static const Names names = deployed_with({});
  return names;
}

const Names& deployed_bfloat16() {
  static const Names names = deployed_with({"bfloat16_conv", "bfloat16_matmul", "bfloat16"});
  return names;
}

Pass patterns(std::string name, std::string doc, void (*add)(PatternSet&)) {
  const auto set = std::make_shared<PatternSet>();
  add(*set);
  return {std::move(name), [set](Program& p) { return apply_patterns(p.block(), *set, is_pure); },
          std::move(doc)};
}

Pass rewrites(std::string name, std::string doc, void (*add_rules)(RuleSet&)) {
  RuleSet rules;
  add_rules(rules);
  const auto patterns = std::make_shared<const PatternSet>(rules.compiled());
  return {std::move(name),
          [patterns](Program& p) { return apply_patterns(p.block(), *patterns, is_pure); },
          std::move(doc)};
}

// A program that is only known by itself has no place for facts that must hold.
size_t decompose_program(Program& p) {
  const Decomposed done = decompose(p.block());
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, done.left.empty(),
                    "decompose: ", done.left.front().first->name(), ": ", done.left.front().second);
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, done.facts.empty(),
                    "decompose: a decomposition is right only where ", done.facts.front(),
                    "; give the program known extents.");
  return done.operations;
}

}  // namespace

void register_passes() {
  // Not std::call_once: its thread-local state lives in libstdc++ (see cmake/options.cmake).
  [[maybe_unused]] static const bool registered = [] {
    PassRegistry& r = PassRegistry::global();
    r.add({"dce", [](Program& p) { return eliminate_dead_code(p.block()); },
           "Removes operations whose results nothing uses."});
    r.add({"drop_carriers", [](Program& p) { return drop_unread_carriers(p.block()); },
           "Removes what loops carry and nothing reads."});
    r.add({"cse", [](Program& p) { return eliminate_common_subexpressions(p.block()); },
           "Merges operations that compute the same."});
    r.add({"decompose", decompose_program,
           "Composed operators become the primitive and opaque ones that they are made of."});
    r.add({"fold", [](Program& p) { return fold_constants(p.block()); },
           "Evaluates operators on constants."});
    r.add({"hoist_constants", [](Program& p) { return hoist_constants(p.block()); },
           "Makes small constants once instead of on every run."});
    r.add(rewrites("simplify", "Drops and joins operators that change no value.",
                   add_simplify_rules));
    r.add(rewrites("fuse_linear", "Matrix product and bias as one operator.", add_fuse_rules));
    r.add(patterns("leave_training", "What training-time operators are in inference.",
                   add_inference_patterns));
    r.add(rewrites("fuse_layer_norm", "Layer norms that are spelled out.", add_layer_norm_rules));
    r.add(rewrites("fuse_rms_norm", "RMS norms that are spelled out.", add_rms_norm_rules));
    r.add(patterns("fuse_attention", "Attention that is spelled out.", add_attention_patterns));
    r.add(patterns("fuse_rotation", "Rotary position embedding that is spelled out.",
                   add_rotation_patterns));
    r.add(rewrites("fuse_swiglu", "silu(x) * y as one operator.", add_swiglu_rules));
    r.add(patterns("fuse_epilogue", "Convolutions and products take in what follows them.",
                   add_epilogue_patterns));
    r.add(patterns("fuse_linear_function", "Linear maps take in the function of their result.",
                   add_linear_function_patterns));
    r.add(patterns("fuse_pyramid", "A map plus a coarser one as one operator.",
                   add_pyramid_patterns));
    r.add(patterns("bfloat16_conv", "Convolutions with an epilogue compute in bfloat16.",
                   add_bfloat16_conv_patterns));
    r.add(patterns("bfloat16_matmul", "Products with an epilogue compute in bfloat16.",
                   add_bfloat16_matmul_patterns));
    r.add(patterns("bfloat16", "What runs between operators in bfloat16 stays in it.",
                   add_bfloat16_patterns));
    r.add({"fold_weights", [](Program& p) { return fold_weights(p.block()); },
           "Evaluates what depends on weights alone."});
    return true;
  }();
}

const std::vector<std::string>& pipeline(Pipeline which) {
  switch (which) {
    case Pipeline::kCaptured:
      return captured();
    case Pipeline::kTraining:
      return training();
    case Pipeline::kLoaded:
      return loaded();
    case Pipeline::kDeployed:
      return deployed();
    default:
      return deployed_bfloat16();
  }
}

std::vector<PassRecord> run_passes(const Names& names, Program& program) {
  register_passes();
  if (!passes_enabled()) return {};
  const SymbolScope scope;
  program.keep_symbols(scope.owner());
  return PassManager(names).run(program);
}

std::vector<PassRecord> run_pipeline(Pipeline which, Program& program,
                                     const std::vector<std::string>& without) {
  Names names = pipeline(which);
  std::erase_if(names, [&](const std::string& name) {
    return std::find(without.begin(), without.end(), name) != without.end();
  });
  return run_passes(names, program);
}

}  // namespace paddle::pir
