/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_ERRNO_H
#define STUB_ERRNO_H
#define ENOENT 2
#define EAGAIN 11
#define ENOMEM 12
#define EBUSY 16
#define ENODEV 19
#define EINVAL 22
#define ENOSPC 28
#define EMSGSIZE 122
#define ENOTSUP 134
#endif
