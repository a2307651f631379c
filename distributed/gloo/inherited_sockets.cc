// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Gloo does not say which file descriptors it has, so they are found by their addresses.
#include "distributed/gloo/inherited_sockets.h"

#include <fcntl.h>
#include <gloo/transport/address.h>
#include <gloo/transport/pair.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace paddle::distributed {
namespace {

struct Endpoint {
  int family = 0;
  in_port_t port = 0;
  in6_addr address{};
  friend bool operator==(const Endpoint& a, const Endpoint& b) {
    return a.family == b.family && a.port == b.port &&
           std::memcmp(&a.address, &b.address, sizeof a.address) == 0;
  }
};

Endpoint endpoint_of(const sockaddr_storage& storage) {
  Endpoint made;
  made.family = storage.ss_family;
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    made.port = v4.sin_port;
    std::memcpy(&made.address, &v4.sin_addr, sizeof v4.sin_addr);
  } else if (storage.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
    made.port = v6.sin6_port;
    made.address = v6.sin6_addr;
  }
  return made;
}

// Safe in a child of a process with several threads.
bool is_at(int fd, const Endpoint& wanted) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  return getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &length) == 0 &&
         endpoint_of(storage) == wanted;
}

// Of all jobs of the process, never freed. The numbers may have come to other files since, so
// whoever reads them compares the address.
struct Socket {
  int fd;
  Endpoint endpoint;
  Socket* next;
};
std::atomic<Socket*> sockets{nullptr};

void close_all() {
  for (const Socket* one = sockets.load(); one; one = one->next) {
    if (is_at(one->fd, one->endpoint)) close(one->fd);
  }
}

std::vector<int> open_files() {
  std::vector<int> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", failed)) {
    found.push_back(std::atoi(entry.path().filename().c_str()));
  }
  return found;
}

}  // namespace

void close_in_children(gloo::transport::Context& context) {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, close_all);
  const std::vector<int> files = open_files();
  for (int peer = 0; peer < context.size; ++peer) {
    if (peer == context.rank) continue;
    const std::vector<char> bytes = context.getPair(peer)->address().bytes();
    sockaddr_storage storage{};
    std::memcpy(&storage, bytes.data(), std::min(bytes.size(), sizeof storage));
    const Endpoint endpoint = endpoint_of(storage);
    for (const int fd : files) {
      if (!is_at(fd, endpoint)) continue;
      fcntl(fd, F_SETFD, FD_CLOEXEC);
      auto* const made = new Socket{fd, endpoint, sockets.load()};
      while (!sockets.compare_exchange_weak(made->next, made)) {
      }
    }
  }
}

}  // namespace paddle::distributed
