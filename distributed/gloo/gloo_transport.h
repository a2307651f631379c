// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `GlooTransport`: messages between processes over Gloo's pairs.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "distributed/gloo/farewell.h"
#include "distributed/gloo/rendezvous.h"
#include "distributed/gloo/watch.h"

namespace paddle::distributed {

class GlooTransport final : public Transport {
 public:
  explicit GlooTransport(const Meeting& meeting);
  ~GlooTransport() override;

  int64_t rank() const override { return connections_.context->rank; }
  int64_t size() const override { return connections_.context->size; }
  double limit_seconds() const override { return watch_.limit_seconds(); }
  std::unique_ptr<Transfer> send(int64_t peer, uint64_t slot, const void* data,
                                 size_t bytes) override;
  std::unique_ptr<Transfer> receive(int64_t peer, uint64_t slot, void* data, size_t bytes) override;
  void give_up(const std::string& reason) noexcept override;

 private:
  class GlooTransfer;
  std::unique_ptr<Transfer> begin(int64_t peer, uint64_t slot, void* data, size_t bytes,
                                  bool sends);
  [[noreturn]] void fail(int64_t peer, const std::string& what) const;
  std::string reason() const;

  Connections connections_;
  Farewells farewells_;
  Watch watch_;
  mutable std::mutex mutex_;
  std::string reason_;  // why the job was given up
};

}  // namespace paddle::distributed
