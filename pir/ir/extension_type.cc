// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The table of types that other libraries define.
#include "pir/ir/extension_type.h"

#include <map>
#include <mutex>

namespace paddle::pir {
namespace {

struct Types {
  std::mutex mutex;
  std::map<std::string, TypeRecord, std::less<>> records;

  static Types& global() {
    static auto* types = new Types();  // types outlive every program
    return *types;
  }
};

}  // namespace

ExtensionType::~ExtensionType() = default;

void register_type(TypeRecord record) {
  const size_t dot = record.name.find('.');
  PADDLE_CHECK_VALUE(dot != std::string::npos && dot > 0 && dot + 1 < record.name.size(),
                     "register_type: name has value ", record.name,
                     "; \"dialect.type\" is expected.");
  PADDLE_CHECK_VALUE(record.parse, "register_type: ", record.name,
                     " has no parse; give the function that reads its text.");
  Types& types = Types::global();
  const std::lock_guard<std::mutex> lock(types.mutex);
  std::string name = record.name;
  PADDLE_CHECK_VALUE(types.records.try_emplace(std::move(name), std::move(record)).second,
                     "register_type: a type of that name is registered already.");
}

Type extension_type(std::string_view name, std::string_view body) {
  Types& types = Types::global();
  const TypeRecord* record = nullptr;
  {
    const std::lock_guard<std::mutex> lock(types.mutex);
    const auto found = types.records.find(name);
    if (found != types.records.end()) record = &found->second;  // stays where it is
  }
  PADDLE_CHECK_VALUE(record, "program: type ", name,
                     " is unknown; load the library that defines it first.");
  std::shared_ptr<const ExtensionType> type = record->parse(body);
  PADDLE_CHECK_VALUE(type && type->name() == name, "program: the text of type ", name, ", ", body,
                     ", was read as another type or none.");
  return Type::extension(std::move(type));
}

void verify_type(const Type& type) {
  if (type.is_extension()) type.extension()->verify();
  for (const Type& element : type.elements()) verify_type(element);
}

}  // namespace paddle::pir
