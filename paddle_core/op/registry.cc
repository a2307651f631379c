// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The registry of operators, with its checks of their records.
#include "paddle_core/op/registry.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

namespace paddle {
namespace {

// Users' operators may be registered while other threads look operators up.
std::shared_mutex registry_mutex;

void require_unused(const std::unordered_map<std::string, OpDef*>& known, const std::string& name) {
  PADDLE_CHECK_RUNTIME(known.find(name) == known.end(), "operator ", name,
                       " is already registered; operators are defined once.");
}

// The operation of files is that of one operator.
void require_own(const std::string& name, const std::string& upgraded, const OpDef* owner,
                 const OpDef* def) {
  PADDLE_CHECK_RUNTIME(owner == def, "operator ", name, ": upgrade(", upgraded,
                       ") is about an operation that belongs to operator ", owner->name(),
                       "; put the rule there.");
}

// Exactly one of primitive, composed and opaque.
void check_kind(const std::string& name, const OpDef& def) {
  const bool primitive = def.has(kPrimitive), opaque = def.has(kOpaque);
  PADDLE_CHECK_RUNTIME(primitive || opaque || def.decompose_fn != nullptr, "operator ", name,
                       " is neither primitive, composed nor opaque; give it a decomposition, or "
                       "say primitive(reason) or opaque(reason).");
  PADDLE_CHECK_RUNTIME(static_cast<int>(primitive) + static_cast<int>(opaque) +
                               static_cast<int>(def.decompose_fn != nullptr) ==
                           1,
                       "operator ", name,
                       " is more than one of primitive, composed (it has a decomposition) and "
                       "opaque; choose one.");
  PADDLE_CHECK_RUNTIME(def.decompose_fn || !def.kind_reason().empty(), "operator ", name, " is ",
                       primitive ? "primitive" : "opaque", " without a reason.");
  PADDLE_CHECK_RUNTIME(
      !def.has(kUnsaved) || def.decompose_fn != nullptr, "operator ", name,
      " is held by program files as its decomposition (kUnsaved) and has none; give it one, "
      "or take the trait away.");
}

// What files hold under the name of the record in older versions has a rule, and no other has.
void check_saved_form(const std::string& name, const OpDef& def) {
  PADDLE_CHECK_RUNTIME(!def.saved_form_fn || !def.has(kUnsaved), "operator ", name,
                       " is kUnsaved, so no file holds it, and has a rule for its saved form; "
                       "leave one of them out.");
  bool reads_before = false;
  for (const SavedUpgrade& u : def.upgrades()) {
    if (u.name != def.saved_name()) continue;
    PADDLE_CHECK_RUNTIME(u.fn, "operator ", name, ": the upgrade of ", u.name,
                         ", which is its own name, has no rule; it would change nothing.");
    PADDLE_CHECK_RUNTIME(u.version == kSavedVersion || u.version < def.saved_version, "operator ",
                         name, ": an upgrade reads files of version ", u.version,
                         ", which have the form of today (since_version is ",
                         static_cast<int>(def.saved_version), ").");
    reads_before = reads_before || u.version == def.saved_version - 1;
  }
  PADDLE_CHECK_RUNTIME(def.saved_version == 1 || reads_before, "operator ", name,
                       " has its form since version ", static_cast<int>(def.saved_version),
                       " of files; give it an upgrade for version ", def.saved_version - 1, '.');
}

// What a record says of its rank; what its decomposition calls is held against it when it runs.
void check_rank(const std::string& name, const OpDef& def) {
  if (!def.says_rank()) return;
  PADDLE_CHECK_RUNTIME(def.decompose_fn != nullptr, "operator ", name,
                       " says a rank and has no decomposition; leave the rank out.");
  PADDLE_CHECK_RUNTIME(def.rank() >= 1 && def.rank() < OpDef::kTopRank, "operator ", name,
                       " says rank ", def.rank(), "; it must be in [1, ", OpDef::kTopRank,
                       "): 1 + the highest rank of what its decomposition calls.");
}

// A call has one place. A Place argument decides it where there are no tensors whose values are
// read; an operator that moves values says so by kAnyPlace.
void check_place(const std::string& name, const OpDef& def) {
  if (def.place_arg < 0 || def.has(kAnyPlace)) return;
  bool tensors = false;
  for (size_t i = 0; i < def.schema().args.size(); ++i) {
    if (!def.schema().args[i].is_tensor()) continue;
    tensors = true;
    PADDLE_CHECK_RUNTIME((def.shape_only >> i) & 1u, "operator ", name,
                         " has a Place argument and reads the values of ",
                         def.schema().args[i].name,
                         "; name that in reads_shape_of(), or leave the place to the tensor.");
  }
  const ArgSpec& place = def.schema().args[static_cast<size_t>(def.place_arg)];
  PADDLE_CHECK_RUNTIME(place.follows_tensors() == tensors, "operator ", name, ": the default of ",
                       place.name,
                       " must be Undefined where there are tensors to follow, else cpu.");
}

void check(const std::string& name, const OpDef& def) {
  const std::string& schema_name = def.schema().name;
  PADDLE_CHECK_RUNTIME(!schema_name.empty(), "operator ", name, " has no schema.");
  PADDLE_CHECK_RUNTIME(name == schema_name, "operator ", name, ": its schema is named ",
                       schema_name, "; use one name.");
  PADDLE_CHECK_RUNTIME(def.infer_fn != nullptr, "operator ", name, " has no shape rule.");
  PADDLE_CHECK_RUNTIME(def.kernels.any() || def.decompose_fn || def.view_fn, "operator ", name,
                       " has neither a kernel, a decomposition nor a view.");
  check_kind(name, def);
  check_saved_form(name, def);
  check_rank(name, def);
  check_place(name, def);
  for (const ParamAlias& a : def.aliases()) {
    PADDLE_CHECK_RUNTIME(a.name.empty() || def.schema().arg_index(a.name) >= 0, "operator ", name,
                         ": alias ", a.alias, " names no argument ", a.name, ".");
  }
}

}  // namespace

Registry& Registry::global() {
  static Registry* registry = new Registry;  // outlives every static tensor
  return *registry;
}

OpDef& Registry::op(std::string name) {
  const std::unique_lock lock(registry_mutex);
  require_unused(by_name_, name);
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
  std::unordered_map<std::string_view, const OpDef*> names, upgraded;
  for (const auto& [name, def] : by_name_) {
    check(name, *def);
    names.emplace(name, def);
    names.emplace(def->saved_name(), def);
  }
  for (const auto& [name, def] : by_name_) {
    for (const SavedUpgrade& u : def->upgrades()) {
      const auto own = names.find(u.name);
      require_own(name, u.name, own == names.end() ? def : own->second, def);
      require_own(name, u.name, upgraded.emplace(u.name, def).first->second, def);
    }
  }
}

OpDef& Registry::add(OpDef record) {
  const std::string name = record.schema().name;
  check(name, record);
  const std::unique_lock lock(registry_mutex);
  require_unused(by_name_, name);
  for (const SavedUpgrade& u : record.upgrades()) {
    for (const OpDef& other : ops_) {
      const bool taken = u.name == other.name() || u.name == other.saved_name() ||
                         std::any_of(other.upgrades().begin(), other.upgrades().end(),
                                     [&](const SavedUpgrade& o) { return o.name == u.name; });
      if (taken) require_own(name, u.name, &other, &record);
    }
  }
  OpDef& def = ops_.emplace_back(std::move(record));
  def.id = static_cast<uint32_t>(ops_.size() - 1);
  def.default_rank = OpDef::kTopRank + static_cast<int>(ops_.size());
  by_name_.emplace(name, &def);
  return def;
}

std::vector<const OpDef*> Registry::since(size_t first) const {
  const std::shared_lock lock(registry_mutex);
  std::vector<const OpDef*> found;
  for (size_t i = first; i < ops_.size(); ++i) found.push_back(&ops_[i]);
  return found;
}

}  // namespace paddle
