/* SPDX-License-Identifier: Apache-2.0
 * A whole device on Linux: ./device FLASH SOCKET. Its flash is a file, its link a Unix socket
 * (spec/bleota.md, section 10.2). To kill it is to cut its power. */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "bleota_receiver.h"
#include "trust.h"
#define MUST(call) do { int e = (call); if (e) errx(1, #call ": %s", bleota_error_name(e)); } while (0)
enum { PAGE = 4096, SLOT = 256 * PAGE, MANIFEST = 8 * PAGE, RECORD = SLOT + MANIFEST };
enum { CONTROL = 2, CONTROL_ASKING, DATA, DATA_ASKING, RESPONSE, BARRIER, BARRIER_ANSWER };
static const uint8_t hello[8] = {1, 'B', 'L', 'E', 'O', 1, 247 /* the ATT_MTU */, 0};
static uint64_t memory[1200]; /* bleota_receiver_byte_count says how many bytes are needed */
static uint8_t packet[2 + 244]; /* 244 bytes of a frame, and one to see that it is too long */
static int flash;
static struct pollfd line = {.events = POLLIN};
static int32_t flash_read(void *context, uint32_t address, void *bytes, uint32_t count) {
    return pread(flash, bytes, count, address) != count;
}
static int32_t flash_write(void *context, uint32_t address, const void *bytes, uint32_t count) {
    return pwrite(flash, bytes, count, address) != count;
}
static int32_t flash_erase(void *context, uint32_t address) {
    return flash_write(context, address, memset((uint8_t[PAGE]){0}, 0xFF, PAGE), PAGE);
}
static bool link_send(void *context, const void *frame, uint32_t count) {
    uint8_t out[1 + BLEOTA_CONTROL_BYTE_COUNT_MAX] = {CONTROL};
    memcpy(out + 1, frame, count);
    return send(line.fd, out, 1 + count, MSG_NOSIGNAL) > 0 || true; /* lost with the link */
}
static uint64_t now(void *context) {
    struct timespec time;
    return clock_gettime(CLOCK_MONOTONIC, &time), time.tv_sec * 1000000ull + time.tv_nsec / 1000;
}
static void log_event(void *context, bleota_event event, uint32_t number) {
    fprintf(stderr, "%s %u %s\n", bleota_event_name(event), number,
           event == BLEOTA_EVENT_ENDED ? bleota_reason_text(number) : "");
}
static const bleota_setup setup = {
    .hooks = {.read = flash_read, .write = flash_write, .erase = flash_erase, .send = link_send,
              .now = now, .log = log_event, .trusts = TRUSTS, .verify = VERIFIES},
    .flash = {PAGE, 4 /* bytes at a time */, 0, SLOT, SLOT, MANIFEST, RECORD},
    .takes_unsigned = TAKES_UNSIGNED, .hardware = "acme/lamp", .revision = 3};
static bool take_packet(bleota_receiver *receiver) { /* false if the link is over */
    ssize_t count = recv(line.fd, packet, sizeof(packet), 0) - 1;
    uint8_t kind = packet[0], answer = kind == BARRIER ? BARRIER_ANSWER : RESPONSE;
    if ((size_t)count > 244 || kind < CONTROL || kind > BARRIER || kind == RESPONSE) return false;
    if (kind <= CONTROL_ASKING) MUST(bleota_receiver_take_control(receiver, packet + 1, count));
    else if (kind <= DATA_ASKING) MUST(bleota_receiver_take_data(receiver, packet + 1, count));
    return kind % 2 == 0 || send(line.fd, &answer, 1, MSG_NOSIGNAL) == 1;
}
static void serve(void) {
    bleota_receiver *receiver;
    bleota_record old; /* of what was verified, and runs: this device has no boot loader */
    uint32_t wait;
    if (send(line.fd, hello, 8, MSG_NOSIGNAL) != 8 || poll(&line, 1, 5000) != 1 ||
        recv(line.fd, packet, 9, 0) != 8 || memcmp(packet, hello, 6) != 0) return;
    MUST(bleota_receiver_start(memory, sizeof(memory), &setup, &receiver));
    do {
        if (bleota_read_record(&setup, &old) == BLEOTA_OK && old.image_byte_count > 0)
            MUST(bleota_receiver_set_running(receiver, BLEOTA_RUNNING_CONFIRMED, old.image_sha256));
        MUST(bleota_receiver_run(receiver, &wait));
    } while (poll(&line, 1, wait / 1000 + (wait % 1000 > 0)) == 0 || take_packet(receiver));
}
int main(int argc, char **argv) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (argc != 3) errx(64, "usage: device FLASH SOCKET");
    flash = open(argv[1], O_RDWR | O_CREAT, 0600);
    for (int at = lseek(flash, 0, SEEK_END); at < RECORD + 2 * PAGE; at += PAGE) flash_erase(0, at);
    unlink(strncpy(address.sun_path, argv[2], sizeof(address.sun_path) - 1));
    if (bind(listener, (void *)&address, sizeof(address)) || listen(listener, 4)) err(1, "%s", argv[2]);
    while ((line.fd = accept(listener, NULL, NULL)) >= 0) serve(), close(line.fd);
}
