// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The end of the process: static objects of this library, which are LLVM's above all, are not
// destroyed, as the thread that compiles may still use them then. The name is that of the function
// with which compilers register destructors; hidden, it serves this library alone.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*);

int __cxa_atexit(void (* /*destroy*/)(void*), void* /*object*/, void* /*library*/) { return 0; }
