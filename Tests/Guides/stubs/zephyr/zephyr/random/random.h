/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_RANDOM_H
#define STUB_RANDOM_H
#include <stdint.h>
uint32_t sys_rand32_get(void);
#endif
