// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/gloo/rendezvous.h"

#include <gloo/transport/tcp/device.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "distributed/gloo/inherited_sockets.h"
#include "paddle_core/base/error.h"

namespace paddle::distributed {
namespace {

std::shared_ptr<gloo::transport::Device> device_of(const Meeting& meeting) {
  gloo::transport::tcp::attr attr;
  const char* const interface = std::getenv("GLOO_SOCKET_IFNAME");
  if (interface && *interface) {
    attr.iface = interface;
  } else {
    attr.hostname = meeting.host;
  }
  try {
    return gloo::transport::tcp::CreateDevice(attr);
  } catch (const std::exception& error) {
    throw_error(ErrorKind::kRuntime,
                attr.iface.empty() ? str("connect_processes: the address ", meeting.host,
                                         " of this process is no network interface here (",
                                         error.what(), "); name one with GLOO_SOCKET_IFNAME.")
                                   : str("connect_processes: GLOO_SOCKET_IFNAME is ", attr.iface,
                                         ", which cannot be used (", error.what(), ")."));
  }
}

void append(std::string& out, const std::vector<char>& address) {
  const uint32_t bytes = static_cast<uint32_t>(address.size());
  out.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  out.append(address.data(), address.size());
}

// Entry `index` of what append() wrote.
std::vector<char> entry(const std::string& all, size_t index, int64_t peer) {
  size_t at = 0;
  for (size_t i = 0;; ++i) {
    uint32_t bytes = 0;
    if (at + sizeof bytes <= all.size())
      all.copy(reinterpret_cast<char*>(&bytes), sizeof bytes, at);
    at += sizeof bytes;
    PADDLE_CHECK_RUNTIME(bytes > 0 && at + bytes <= all.size(),
                         "connect_processes: the addresses that rank ", peer,
                         " has left are not readable; do all processes have the same version?");
    if (i == index)
      return {all.begin() + static_cast<ptrdiff_t>(at),
              all.begin() + static_cast<ptrdiff_t>(at + bytes)};
    at += bytes;
  }
}

}  // namespace

Connections meet(const Meeting& meeting) {
  Connections made;
  made.device = device_of(meeting);
  const int rank = static_cast<int>(meeting.rank), size = static_cast<int>(meeting.size);
  made.context = made.device->createContext(rank, size);
  // A pair waits five times as long as it is told.
  const auto limit = std::chrono::duration<double>(meeting.timeout_seconds / 5);
  made.context->setTimeout(std::max(std::chrono::duration_cast<std::chrono::milliseconds>(limit),
                                    std::chrono::milliseconds(1)));
  std::string own;
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank) continue;
    try {
      append(own, made.context->createPair(peer)->address().bytes());
    } catch (const std::exception& error) {
      throw_error(ErrorKind::kRuntime,
                  str("connect_processes: rank ", rank, " cannot listen for rank ", peer, " at ",
                      meeting.host, " (", error.what(), ")."));
    }
  }
  meeting.set(str("address/", rank), own);
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank) continue;
    const std::string theirs = meeting.get(str("address/", peer));
    // A peer has no address for itself.
    const auto address = entry(theirs, static_cast<size_t>(rank < peer ? rank : rank - 1), peer);
    try {
      made.context->getPair(peer)->connect(address);
    } catch (const std::exception& error) {
      throw_error(ErrorKind::kRuntime,
                  str("connect_processes: rank ", rank, " does not reach rank ", peer, " (",
                      error.what(), ")."));
    }
  }
  close_in_children(*made.context);
  return made;
}

}  // namespace paddle::distributed
