/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_REBOOT_H
#define STUB_REBOOT_H
#define SYS_REBOOT_WARM 0
#define SYS_REBOOT_COLD 1
_Noreturn void sys_reboot(int type);
#endif
