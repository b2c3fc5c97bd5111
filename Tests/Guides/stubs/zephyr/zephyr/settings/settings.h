/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_SETTINGS_H
#define STUB_SETTINGS_H
int settings_load(void);
#endif
