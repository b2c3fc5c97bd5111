/// Starts the guide's firmware as a device does: the boot loader first.

#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

#include <zephyr/sys/reboot.h>

#include "firmware.h"
#include "flash_file.h"
#include "mcuboot.h"

/// The guide's own `main`, compiled under another name.
int guide_main(void);

void sys_reboot(int type) {
    (void)type;
    _exit(FIRMWARE_RESTARTS);
}

int main(void) {
    // The power goes for the stack and the firmware at once.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    flash_file_open(FLASH_BYTE_COUNT);
    mcuboot_run();
    if (guide_main() != 0) {
        return 1;
    }
    for (;;) {
        pause();
    }
}
