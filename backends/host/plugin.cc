// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opening a library, and every check of its tables.
#include "backends/host/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "backends/host/kernels.h"

namespace paddle::plugin {

__thread const CallScope* CallScope::innermost_call __attribute__((tls_model("initial-exec"))) =
    nullptr;

namespace {

ErrorKind kind_of(int32_t kind) {
  switch (kind) {
    case PD_ERROR_VALUE:
      return ErrorKind::kValue;
    case PD_ERROR_TYPE:
      return ErrorKind::kType;
    case PD_ERROR_INDEX:
      return ErrorKind::kIndex;
    case PD_ERROR_NOT_IMPLEMENTED:
      return ErrorKind::kNotImplemented;
    case PD_ERROR_MEMORY:
      return ErrorKind::kMemory;
    case PD_ERROR_OS:
      return ErrorKind::kOs;
    default:
      return ErrorKind::kRuntime;
  }
}

bool is_type_name(const std::string& name) {
  if (name.empty() || name[0] < 'a' || name[0] > 'z') return false;
  if (name == "cpu" || name == "gpu" || name == "undefined") return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

// How long a struct is up to a field: the last one of the version in which the struct came.
#define PLUGIN_SIZE_TO(type, last) (offsetof(type, last) + sizeof(type::last))

// Copies as much of a table as both sides know; the rest is zero.
template <typename T>
T copied(const Plugin& plugin, const T* given, size_t least, const char* what) {
  PADDLE_CHECK_RUNTIME(given->struct_size >= least, plugin.title(), ": ", what, " has struct_size ",
                       given->struct_size, "; it has at least ", least,
                       " bytes: set it to sizeof of the struct.");
  T table{};
  std::memcpy(&table, given, std::min(sizeof(T), given->struct_size));
  table.struct_size = std::min(sizeof(T), given->struct_size);
  return table;
}

template <typename Function>
void require(const Plugin& plugin, Function* function, const char* name) {
  PADDLE_CHECK_RUNTIME(function, plugin.title(), ": the function ", name,
                       " is null; it is compulsory in its group.");
}

}  // namespace

#define PLUGIN_REQUIRE(group, function) require(*this, group.function, #group "." #function)

std::string Plugin::title() const {
  const std::string file = path.substr(path.rfind('/') + 1);
  return name.empty() ? str("plugin ", path) : str("plugin ", name, " (", file, ")");
}

void Plugin::lies(const char* function, const std::string& what) const {
  throw_error(ErrorKind::kRuntime, str(title(), ": ", function, " ", what));
}

void Plugin::raise(PdError* error, const char* function, const char* op) const {
  const std::string where = op ? str(function, " of operator ", op) : std::string(function);
  if (error->struct_size < PLUGIN_SIZE_TO(PdError, release)) {
    lies(where.c_str(), str("gave an error object with struct_size ", error->struct_size,
                            "; it has at least ", PLUGIN_SIZE_TO(PdError, release), " bytes."));
  }
  const ErrorKind kind = kind_of(error->kind);
  const bool says = error->message && *error->message;
  const std::string message = says ? error->message : "an error without message.";
  if (error->release) error->release(error);
  throw_error(says ? kind : ErrorKind::kRuntime, str(title(), ": ", where, ": ", message));
}

Plugin* Plugin::open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  PADDLE_CHECK_KIND(ErrorKind::kOs, library, "load_plugin: ", path,
                    " cannot be loaded: ", library ? "" : dlerror(), ".");
  const auto entry = reinterpret_cast<PdEntry>(dlsym(library, PD_ENTRY_NAME));
  if (!entry) dlclose(library);
  PADDLE_CHECK_KIND(ErrorKind::kOs, entry, "load_plugin: ", path,
                    " has no function " PD_ENTRY_NAME "; it is no plugin of a device.");
  std::unique_ptr<Plugin> plugin(new Plugin);
  plugin->path = path;
  PdEntryArgs args{sizeof args, &host_functions(), nullptr};
  {
    const CallScope scope(*plugin, PD_ENTRY_NAME);
    if (PdError* error = entry(&args)) plugin->raise(error, PD_ENTRY_NAME);
  }
  plugin->read(args.plugin);
  return plugin.release();
}

void Plugin::read(const PdPlugin* given) {
  if (!given) lies(PD_ENTRY_NAME, "gave no plugin.");
  PADDLE_CHECK_RUNTIME(given->struct_size >= PLUGIN_SIZE_TO(PdPlugin, kernels), title(),
                       ": PdPlugin has struct_size ", given->struct_size, "; it has at least ",
                       PLUGIN_SIZE_TO(PdPlugin, kernels),
                       " bytes: set it to sizeof of the struct.");
  PADDLE_CHECK_RUNTIME(given->major == PD_VERSION_MAJOR, title(), " has version ", given->major,
                       ".", given->minor, " of the interface, and this host ", PD_VERSION_MAJOR,
                       ".", PD_VERSION_MINOR, "; build it with the host's paddle_device.h.");
  const std::string type = given->device_type ? given->device_type : "";
  PADDLE_CHECK_RUNTIME(is_type_name(type), title(), ": PdPlugin.device_type is \"", type,
                       "\"; a name of lower-case letters, digits and underscores is needed that is "
                       "neither cpu nor gpu nor undefined.");
  name = type;
  table = copied(*this, given, PLUGIN_SIZE_TO(PdPlugin, kernels), "PdPlugin");
  PADDLE_CHECK_RUNTIME(given->device, title(), ": the group device is null; it is compulsory.");
  device = copied(*this, given->device, PLUGIN_SIZE_TO(PdDeviceGroup, synchronize), "device");
  PLUGIN_REQUIRE(device, count);
  PLUGIN_REQUIRE(device, open);
  PLUGIN_REQUIRE(device, close);
  PLUGIN_REQUIRE(device, properties);
  PLUGIN_REQUIRE(device, has);
  PLUGIN_REQUIRE(device, synchronize);
  if ((has_memory = given->memory)) {
    memory = copied(*this, given->memory, PLUGIN_SIZE_TO(PdMemoryGroup, free_host), "memory");
    PLUGIN_REQUIRE(memory, allocate);
    PLUGIN_REQUIRE(memory, free);
    PLUGIN_REQUIRE(memory, copy);
    PLUGIN_REQUIRE(memory, fill);
  }
  if ((has_streams = given->streams)) {
    streams = copied(*this, given->streams, PLUGIN_SIZE_TO(PdStreamGroup, synchronize), "streams");
    PLUGIN_REQUIRE(streams, create);
    PLUGIN_REQUIRE(streams, destroy);
    PLUGIN_REQUIRE(streams, query);
    PLUGIN_REQUIRE(streams, synchronize);
  }
  if ((has_events = given->events)) {
    PADDLE_CHECK_RUNTIME(has_streams, title(), ": it has the group events without streams.");
    events = copied(*this, given->events, PLUGIN_SIZE_TO(PdEventGroup, synchronize), "events");
    PLUGIN_REQUIRE(events, create);
    PLUGIN_REQUIRE(events, destroy);
    PLUGIN_REQUIRE(events, record);
    PLUGIN_REQUIRE(events, wait);
    PLUGIN_REQUIRE(events, query);
    PLUGIN_REQUIRE(events, synchronize);
  }
  if ((has_kernels = given->kernels)) {
    PADDLE_CHECK_RUNTIME(has_memory, title(), ": it has the group kernels without memory.");
    kernels = copied(*this, given->kernels, PLUGIN_SIZE_TO(PdKernelGroup, strided_copy), "kernels");
    PLUGIN_REQUIRE(kernels, find);
  }
  if ((has_library = table.library)) {
    PADDLE_CHECK_RUNTIME(has_memory, title(), ": it has the group library without memory.");
    library = copied(*this, table.library, PLUGIN_SIZE_TO(PdLibraryGroup, matmul), "library");
    if (library.matmul_dtypes) PLUGIN_REQUIRE(library, matmul);
  }
  if ((has_profiler = table.profiler)) {
    profiler = copied(*this, table.profiler, PLUGIN_SIZE_TO(PdProfilerGroup, stop), "profiler");
    PLUGIN_REQUIRE(profiler, start);
    PLUGIN_REQUIRE(profiler, stop);
  }
}

}  // namespace paddle::plugin
