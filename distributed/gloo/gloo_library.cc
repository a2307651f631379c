// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The entry of libpaddle_gloo.so.
#include "distributed/gloo/gloo_transport.h"

extern "C" const paddle::distributed::GlooLibrary* paddle_gloo_library() {
  using namespace paddle::distributed;
  static const GlooLibrary table{[](const Meeting& meeting) -> std::shared_ptr<Transport> {
    return std::make_shared<GlooTransport>(meeting);
  }};
  return &table;
}
