/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_SYS_TYPES_H
#define STUB_SYS_TYPES_H
#include <stddef.h>
typedef int ssize_t;
typedef long off_t;
#endif
