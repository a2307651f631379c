// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Upgrades by the names that files have.
#include "pir/serialize/after_reading/upgrade.h"

#include <mutex>
#include <unordered_map>

#include "pir/serialize/forms/form_builder.h"

namespace paddle::pir {
namespace {

// Grows with the registry.
class Upgrades {
 public:
  static Upgrades& global() {
    static Upgrades* upgrades = new Upgrades;
    return *upgrades;
  }

  Upgrade find(std::string_view name, int version) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const OpDef* op : Registry::global().since(known_)) {
      for (const SavedUpgrade& u : op->upgrades()) by_name_.emplace(u.name, op);
      ++known_;
    }
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return {};
    Upgrade out;
    for (const SavedUpgrade& u : found->second->upgrades()) {
      if (u.name != name || u.version < version) continue;
      if (!out || u.version < out.rule->version) out = {found->second, &u};
    }
    return out;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string_view, const OpDef*> by_name_;
  size_t known_ = 0;
};

class ReadForm : public FormBuilder {
 public:
  ReadForm(Operation& op, const std::function<void(Value*)>& rebind)
      : FormBuilder(op), rebind_(rebind) {}
  bool gone = false;

  void become(const FormValues& values) override {
    if (rebind_ && !values.empty()) rebind_(value_of(values[0]));
    FormBuilder::become(values);
    gone = true;
  }

 private:
  const std::function<void(Value*)>& rebind_;
};

}  // namespace

Upgrade upgrade_of(const Operation& op, int version) {
  std::string_view name = op.name();
  if (!name.starts_with("pd_op.")) return {};
  name.remove_prefix(6);
  Upgrade found = Upgrades::global().find(name, version);
  if (!found && name.ends_with('_')) {
    name.remove_suffix(1);
    found = Upgrades::global().find(name, version);
  }
  // A user's operator may have the name of a form that another record reads.
  return op.def && op.def != found.def ? Upgrade() : found;
}

bool upgrade(Operation& op, const Upgrade& by, const std::function<void(Value*)>& rebind) {
  ReadForm form(op, rebind);
  if (by.rule->fn) {
    by.rule->fn(form);
    return form.gone;
  }
  PADDLE_CHECK_VALUE(op.regions().empty() && op.num_results() > 0, "program file: ", op.name(),
                     " has regions or no results.");
  std::vector<FormType> types;
  for (size_t k = 0; k < op.num_results(); ++k) types.emplace_back(form.result(k));
  form.become(form.make_all(by.def->saved_name(), form.operands(), types, op.attributes()));
  return true;
}

}  // namespace paddle::pir
