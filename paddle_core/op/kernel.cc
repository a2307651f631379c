// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of devices other than the host: a list of rows, one per device type, which grows at
// its head while others read.
#include "paddle_core/op/kernel.h"

#include <algorithm>
#include <mutex>

namespace paddle {
namespace {

std::mutex g_growth;

}  // namespace

KernelTable::KernelTable(const KernelTable& other) : host_(other.host_), any_(other.any()) {
  Row* last = nullptr;
  for (const Row* row = other.devices_.load(std::memory_order_acquire); row; row = row->next) {
    auto* copy = new Row{row->device_type, row->kernels, nullptr};
    if (last) {
      last->next = copy;
    } else {
      devices_.store(copy);
    }
    last = copy;
  }
}

KernelTable::~KernelTable() {
  for (Row* row = devices_.load(); row != nullptr;) {
    Row* const next = row->next;
    delete row;
    row = next;
  }
}

const KernelTable::Row* KernelTable::row(int device_type) const {
  const Row* row = devices_.load(std::memory_order_acquire);
  while (row != nullptr && row->device_type != device_type) row = row->next;
  return row;
}

const Kernel& KernelTable::at_device(int device_type, DType dtype) const {
  static const Kernel none;
  const Row* found = row(device_type);
  return found ? found->kernels[static_cast<size_t>(dtype)] : none;
}

void KernelTable::set(Place place, DType dtype, Kernel kernel) {
  any_.store(true, std::memory_order_relaxed);
  const auto at = static_cast<size_t>(dtype);
  if (place.is_host()) {
    host_[at] = kernel;
    return;
  }
  // A row is published complete: readers never see a kernel that is half written.
  const std::lock_guard lock(g_growth);
  const int type = device_type_of(place);
  auto* fresh = new Row{type, {}, devices_.load()};
  if (const Row* old = row(type)) fresh->kernels = old->kernels;
  fresh->kernels[at] = kernel;
  devices_.store(fresh, std::memory_order_release);
}

bool KernelTable::any(Place place) const {
  const auto exists = [](const Kernel& k) { return k.fn != nullptr; };
  if (place.is_host()) return std::any_of(host_.begin(), host_.end(), exists);
  const Row* found = row(device_type_of(place));
  return found && std::any_of(found->kernels.begin(), found->kernels.end(), exists);
}

}  // namespace paddle
