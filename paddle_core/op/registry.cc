// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The registry of operators, with its checks of their records.
#include "paddle_core/op/registry.h"

#include <mutex>
#include <shared_mutex>

namespace paddle {
namespace {

// Users' operators may be registered while other threads look operators up.
std::shared_mutex registry_mutex;

}  // namespace

Registry& Registry::global() {
  static Registry* registry = new Registry;  // outlives every static tensor
  return *registry;
}

OpDef& Registry::op(std::string name) {
  const std::unique_lock lock(registry_mutex);
  PADDLE_CHECK_RUNTIME(by_name_.find(name) == by_name_.end(), "operator ", name,
                       " is already registered; operators are defined once.");
  OpDef& def = ops_.emplace_back();
  def.id = static_cast<uint32_t>(ops_.size() - 1);
  by_name_.emplace(std::move(name), &def);
  return def;
}

OpDef* Registry::find(std::string_view name) {
  const std::shared_lock lock(registry_mutex);
  const auto it = by_name_.find(std::string(name));
  return it == by_name_.end() ? nullptr : it->second;
}

OpDef& Registry::at(std::string_view name) {
  OpDef* def = find(name);
  PADDLE_CHECK_RUNTIME(def != nullptr, "no operator is named ", name, ".");
  return *def;
}

void Registry::kernel(std::string_view op, DeviceKind device, std::initializer_list<DType> dtypes,
                      KernelFn fn, bool strided) {
  Place place;
  place.kind = device;
  this->kernel(op, place, dtypes, Kernel{fn, strided});
}

void Registry::kernel(std::string_view op, Place place, std::initializer_list<DType> dtypes,
                      Kernel kernel) {
  OpDef& def = at(op);
  for (const DType dtype : dtypes) def.kernels.set(place, dtype, kernel);
}

void Registry::seal() {
  for (const auto& [name, def] : by_name_) {
    const std::string& schema_name = def->schema().name;
    PADDLE_CHECK_RUNTIME(!schema_name.empty(), "operator ", name, " has no schema.");
    PADDLE_CHECK_RUNTIME(name == schema_name, "operator ", name, ": its schema is named ",
                         schema_name, "; use one name.");
    PADDLE_CHECK_RUNTIME(def->infer_fn != nullptr, "operator ", name, " has no shape rule.");
    PADDLE_CHECK_RUNTIME(def->kernels.any() || def->decompose_fn || def->view_fn, "operator ", name,
                         " has neither a kernel, a decomposition nor a view.");
    PADDLE_CHECK_RUNTIME(!def->has(kPrimitive) || !def->primitive_reason().empty(), "operator ",
                         name, " is primitive without a reason.");
    for (const ParamAlias& a : def->aliases()) {
      PADDLE_CHECK_RUNTIME(a.name.empty() || def->schema().arg_index(a.name) >= 0, "operator ",
                           name, ": alias ", a.alias, " names no argument ", a.name, ".");
    }
  }
}

}  // namespace paddle
