// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A name under which programs include paddle_inference_api.h, too.
#pragma once

#include <paddle_inference_api.h>
