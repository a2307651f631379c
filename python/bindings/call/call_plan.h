// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// How one Python callable maps to an operator: its parameters in order, the slot that each fills,
// defaults, overloads. Built once from a record's spelling; plans live for ever.
#pragma once

#include <string>
#include <vector>

#include "paddle_core/dispatch/call.h"
#include "python/bindings/call/parse_args.h"

namespace paddle::bindings {

// What a parameter stands for when it is no argument of the schema. The binder understands these
// for every operator; call_extras.cc carries them out.
enum ParamRole : int {
  kIgnored = -1,       // name
  kOut = -2,           // out: the result is written into this Tensor (several: a tuple of them)
  kCastTo = -3,        // dtype: the first Tensor is cast to it before the call
  kAlpha = -4,         // alpha: a factor of the last Tensor
  kRounding = -5,      // rounding_mode: None, "floor" or "trunc" for a quotient
  kAxis0 = -6,         // dim0, axis0 and
  kAxis1 = -7,         // dim1, axis1: two axes to swap in place of perm
  kActivation = -8,    // act: name of an operator that is applied to the result
  kRequiresGrad = -9,  // requires_grad: the result is a leaf that wants a gradient
  kDevice = -10,       // device: where the result is to be
  kFixed = -11,        // anything else: only its default is accepted
};
inline constexpr int kFirstExtra = kOut, kNumExtras = kFirstExtra - kDevice + 1;
inline constexpr size_t extra_index(int role) { return static_cast<size_t>(kFirstExtra - role); }

// What an overload asks of an argument: `dim: int`, `index: Tensor`, `keepdim: bool`. `src: filled`
// takes anything, a number in the shape of the argument before it.
enum class Wanted : uint8_t { kAny, kBool, kInt, kTensor, kDType, kFilled };

struct Param {
  PyObject* name;  // interned
  std::string text;
  int arg;  // slot, or a ParamRole
  bool required;
  bool keyword_only;
  PyObject* default_value;  // shown in the signature; null when there is none
  Wanted wanted = Wanted::kAny;
  bool takes_tensor = false;  // the slot is one Tensor
};

struct Plan {
  const OpDef* op;
  std::string name, path;
  std::vector<Param> params;
  size_t positional = 0;
  uint64_t required = 0;  // a bit per parameter
  std::vector<Slot> defaults;
  bool inplace = false;
  bool packs_ints = false;              // x.reshape(2, 3): the integers are one argument
  bool gives_itself = false;            // x.astype(x.dtype) is x
  bool is_power = false;                // a number may be a constant exponent
  bool spreads = false;                 // a parameter is `filled`
  bool owns_result = false;             // kLeavesBase: x.expand([3, 4])
  uint64_t static_refusals = 0;         // dtypes that tensors may not have in static mode
  PyTypeObject* result_type = nullptr;  // tuple with names for the results
  std::vector<const Plan*> overloads;   // tried first, in order
  ArgArena kept;                        // what `defaults` point to
  std::string signature() const;
};

// Signature, document, arguments, results and example (docstring.cc).
std::string docstring(const Plan& plan);

Plan* plan_of_schema(const OpDef& op);
Plan* plan_of_spelling(const OpDef& op, const PythonSpelling& spelling);

// A bit per dtype that static mode refuses for the tensors of a spelling (static_dtypes.cc).
uint64_t static_refusals(const std::string& path);
void check_static_dtypes(const Plan& plan, const Slot* slots);

inline constexpr int kUnknownKeyword = -1, kNameKeyword = -2, kOutKeyword = -3;
// The parameter that a keyword names: its own name, an alias of the operator, a common synonym
// (input for x, dim for axis). Every function takes `name`, and `out` unless it writes in place.
// Overloads take their own names only.
int find_param(const Plan& plan, PyObject* keyword, bool own_names_only = false);
// The overload that these arguments are for, else the plan itself.
const Plan& select_overload(const Plan& plan, PyObject* const* args, size_t n, PyObject* kwnames);

// Runs a call for which `extra` (one entry a role, null: absent) holds something.
PyObject* call_with_extras(const Plan& plan, Slot* slots, ArgArena& arena, PyObject* const* extra);
PyObject* wrap_results(const Plan& plan, Outputs& outs);
// Makes the tensor `out` hold `value`: an in-place write when shape and dtype are equal, else out
// takes over the value's memory.
void write_out(const char* fn, PyObject* out, const Tensor& value);
PyObject* write_out_from_python(PyObject*, PyObject* args);

}  // namespace paddle::bindings
