// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The one export macro. Everything is compiled with -fvisibility=hidden; what other shared
// libraries or users' extensions may call carries PADDLE_API.
#pragma once

#define PADDLE_API __attribute__((visibility("default")))
