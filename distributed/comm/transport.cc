// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The type information of the interface, which lives in this library for all that implement it.
#include "distributed/comm/transport.h"

namespace paddle::distributed {

TransportError::~TransportError() = default;
TransportTimeout::~TransportTimeout() = default;
Transfer::~Transfer() = default;
Transport::~Transport() = default;

}  // namespace paddle::distributed
