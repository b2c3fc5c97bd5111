/// Starts the guide's firmware as a device does: the boot loader first.

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "partitions.h"

void app_main(void);

int main(void) {
    // The power goes for the stack and the firmware at once.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    partitions_start();
    app_main();
    for (;;) {
        pause();
    }
}
