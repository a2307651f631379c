// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What cannot be seen from Python: several streams, and memory that work of two streams uses. Each
// function returns whether the contract of paddle_core/device/device.h is kept; test_streams.py
// calls them, on the skeleton of a device plugin.
#include <dlfcn.h>

#include <atomic>
#include <memory>
#include <thread>

#include "backends/include/paddle_device.h"
#include "paddle_core/device/context.h"
#include "paddle_core/device/device_arena.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/registry.h"

namespace paddle::checks {
namespace {

// Of the skeleton's own runtime (backends/skeleton/skeleton.h).
using Issue = void (*)(PdStream stream, void (*run)(void* work), const void* work, size_t bytes);
Issue issue = nullptr;

Place first_device() { return place_from_text("skeleton:0"); }

Stream& further_stream() {
  static auto& stream = device_of(first_device()).new_stream(0);
  return stream;
}

// Holds a stream up until it is opened. (A std::promise needs thread-local data of the C++ library
// at a fixed offset, for which a process with many libraries has no room.)
class Gate {
 public:
  explicit Gate(Stream& stream) {
    const auto* const held = new std::shared_ptr<std::atomic<bool>>(opened_);
    issue(
        static_cast<PdStream>(stream.handle()),
        [](void* work) {
          const std::unique_ptr<const std::shared_ptr<std::atomic<bool>>> opened(
              *static_cast<const std::shared_ptr<std::atomic<bool>>**>(work));
          (*opened)->wait(false);
        },
        &held, sizeof(held));
  }
  void open() {
    opened_->store(true);
    opened_->notify_all();
  }

 private:
  std::shared_ptr<std::atomic<bool>> opened_ = std::make_shared<std::atomic<bool>>(false);
};

constexpr size_t kUncommonSize = size_t{7} << 20;

}  // namespace
}  // namespace paddle::checks

#define DEVICE_CHECK extern "C" __attribute__((visibility("default"))) int

extern "C" __attribute__((visibility("default"))) void use_skeleton(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  paddle::checks::issue = reinterpret_cast<paddle::checks::Issue>(dlsym(library, "skeleton_issue"));
}

DEVICE_CHECK memory_waits_for_recorded_streams() {
  using namespace paddle::checks;  // NOLINT(google-build-using-namespace)
  paddle::Stream& other = further_stream();
  Gate gate(other);
  void* data;
  {
    const paddle::StoragePtr used = paddle::Storage::allocate(kUncommonSize, first_device());
    data = used->data();
    used->record_stream(other);
  }
  const paddle::StoragePtr during = paddle::Storage::allocate(kUncommonSize, first_device());
  const bool early = during->data() == data;
  gate.open();
  other.synchronize();
  const paddle::StoragePtr after = paddle::Storage::allocate(kUncommonSize, first_device());
  return !early && after->data() == data;
}

DEVICE_CHECK calls_run_on_the_current_stream() {
  using namespace paddle::checks;  // NOLINT(google-build-using-namespace)
  const paddle::Tensor x = paddle::Tensor::full({paddle::Dim(3)}, paddle::Scalar(2.0),
                                                paddle::DType::kFloat32, first_device());
  paddle::Stream& other = further_stream();
  Gate gate(other);
  paddle::Outputs outs;
  bool waited;
  {
    const paddle::CurrentStream scope(first_device(), other);
    const paddle::Slot args[] = {paddle::Slot::of(x), paddle::Slot::of(x)};
    paddle::call(paddle::Registry::global().at("add"), args, outs);
    waited = !other.query() && outs[0]->storage->stream() == &other;
  }
  const paddle::EventPtr done = other.record();
  waited = waited && !done->query();
  gate.open();
  paddle::current_stream(first_device()).wait(*done);
  const paddle::Tensor host = paddle::Tensor::empty({paddle::Dim(3)}, paddle::DType::kFloat32);
  host.copy_data_from(outs[0]);
  return waited && done->query() && host.data<float>()[2] == 4.0F;
}

DEVICE_CHECK current_streams_belong_to_threads() {
  using namespace paddle::checks;  // NOLINT(google-build-using-namespace)
  paddle::Stream* const mine = &paddle::current_stream(first_device());
  paddle::Stream* elsewhere = nullptr;
  const paddle::CurrentStream scope(first_device(), further_stream());
  std::thread([&] { elsewhere = &paddle::current_stream(first_device()); }).join();
  return elsewhere == mine && &paddle::current_stream(first_device()) == &further_stream();
}

// A block of an arena that work of another stream uses is not given out again before that is done,
// nor is the arena's range when the run is over.
DEVICE_CHECK arenas_wait_for_recorded_streams() {
  using namespace paddle::checks;  // NOLINT(google-build-using-namespace)
  constexpr size_t kBytes = kUncommonSize;
  const std::vector<paddle::DeviceArena::Block> expected{
      {0, paddle::host_memory::arena_bytes(kBytes)}};
  paddle::Stream& other = further_stream();
  bool kept = true;
  void* range = nullptr;
  {
    const auto arena = paddle::DeviceArena::open(expected[0].bytes, first_device());
    range = arena->allocation();
    const auto taken = [&] {
      const paddle::DeviceArena::Step step(*arena, expected);
      return paddle::Storage::allocate(kBytes, first_device());
    };
    kept = taken()->data() == range;
    kept = kept && taken()->data() == range;  // given back in between
    Gate gate(other);
    taken()->record_stream(other);
    kept = kept && taken()->data() != range;
    gate.open();
    other.synchronize();
    kept = kept && taken()->data() == range;
    const paddle::StoragePtr outlives = taken();
    kept = kept && outlives->allocation() == range;
  }
  Gate gate(other);
  {
    const auto arena = paddle::DeviceArena::open(expected[0].bytes, first_device());
    range = arena->allocation();
    const paddle::DeviceArena::Step step(*arena, expected);
    paddle::Storage::allocate(kBytes, first_device())->record_stream(other);
  }
  const auto next = paddle::DeviceArena::open(expected[0].bytes, first_device());
  kept = kept && next->allocation() != range;
  gate.open();
  other.synchronize();
  return kept;
}

// A second type beside "skeleton": a name and a row of kernels of its own, and those who waited for
// it are told.
DEVICE_CHECK types_have_names_and_kernels_of_their_own() {
  paddle::Place told, told_at_once;
  paddle::when_device_type_is_registered("beside_skeleton", [&](paddle::Place p) { told = p; });
  const bool early = told != paddle::Place();
  const paddle::Place other = paddle::register_device_type(
      {"beside_skeleton", [](paddle::Place) { return std::unique_ptr<paddle::Device>(); },
       [] { return 0; }});
  paddle::when_device_type_is_registered("beside_skeleton",
                                         [&](paddle::Place p) { told_at_once = p; });
  paddle::OpDef& exponential = paddle::Registry::global().at("exp");
  const paddle::Place first = paddle::checks::first_device();
  int mark = 0;
  exponential.kernels.set(other, paddle::DType::kFloat64,
                          paddle::Kernel{[](paddle::KernelContext&) {}, false, &mark});
  return !early && told == other && told_at_once == other && !(other == first) &&
         paddle::place_text(other) == "beside_skeleton:0" &&
         paddle::place_from_text("beside_skeleton") == other &&
         exponential.kernels.at(other, paddle::DType::kFloat64).user == &mark &&
         !exponential.kernels.at(other, paddle::DType::kFloat32).fn &&
         exponential.kernels.at(first, paddle::DType::kFloat32).fn != nullptr &&
         !exponential.kernels.at(first, paddle::DType::kFloat64).fn;
}

DEVICE_CHECK memset_and_properties() {
  using namespace paddle::checks;  // NOLINT(google-build-using-namespace)
  paddle::Device& device = paddle::device_of(first_device());
  const paddle::Tensor x =
      paddle::Tensor::empty({paddle::Dim(4)}, paddle::DType::kUInt8, first_device());
  device.memset(x.raw_data(), 7, 4, paddle::current_stream(first_device()));
  const paddle::Tensor host = paddle::Tensor::empty({paddle::Dim(4)}, paddle::DType::kUInt8);
  host.copy_data_from(x);
  return host.data<uint8_t>()[3] == 7 && !device.properties().host_may_access &&
         paddle::device_count(first_device()) == 2;
}
