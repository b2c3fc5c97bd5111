/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_UTIL_H
#define STUB_UTIL_H
#define BIT(n) (1UL << (n))
#define BUILD_ASSERT(condition, message) _Static_assert(condition, message)
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define ARG_UNUSED(x) (void)(x)
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#define CLAMP(val, low, high) (((val) <= (low)) ? (low) : MIN(val, high))
/* 1 for a symbol of Kconfig that is defined as 1, which is y; else 0. */
#define IS_ENABLED(config_macro) STUB_IS_ONE(config_macro)
#define STUB_IS_ONE(value) STUB_PASTED(STUB_BEFORE_, value)
#define STUB_PASTED(one, other) STUB_SECOND(one##other)
#define STUB_BEFORE_1 0, 1
#define STUB_SECOND(...) STUB_TAKE_SECOND(__VA_ARGS__, 0, 0)
#define STUB_TAKE_SECOND(first, second, ...) second
#endif
