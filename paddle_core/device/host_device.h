// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host as a Device: everything is done when a call returns, so streams and events have nothing
// to wait for.
#pragma once

#include "paddle_core/device/device.h"

namespace paddle {

PADDLE_API Device& host_device();

}  // namespace paddle
