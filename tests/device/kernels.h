// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of the lagging device.
#pragma once

#include "paddle_core/device/place.h"

namespace paddle::lagging {

void register_kernels(Place place);

}  // namespace paddle::lagging

// How often kernels of the device were launched.
extern "C" __attribute__((visibility("default"))) long long lagging_launches();
// How many of them had channels last.
extern "C" __attribute__((visibility("default"))) long long lagging_channels_last();
