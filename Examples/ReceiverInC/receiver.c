/* SPDX-License-Identifier: Apache-2.0. ./receiver SOCKET >IMAGE takes one image, and prints it.
 * Its flash is memory. It takes anybody's images; a device would trust a key (guides/trust). */
#include <bleota_receiver.h>
#include <err.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#define MUST(call) do { if (call) errx(1, #call " failed"); } while (0)
enum { PAGE = 4096, SLOT = 4096 * PAGE, MANIFEST = 32 * PAGE, RECORD = SLOT + MANIFEST };
enum { CONTROL = 2, CONTROL_ASKING, DATA, DATA_ASKING, RESPONSE, BARRIER, BARRIER_ANSWER };
static uint8_t hello[8] = {1, 'B', 'L', 'E', 'O', 1, 247 /* the ATT_MTU */}, packet[2 + 244];
static uint64_t memory[1200]; /* bleota_receiver_byte_count says how many bytes are needed */
static uint8_t flash[RECORD + 2 * PAGE];
static struct pollfd line = {.events = POLLIN};
static int32_t flash_read(void *context, uint32_t address, void *bytes, uint32_t count) {
    return memcpy(bytes, flash + address, count), 0;
}
static int32_t flash_write(void *context, uint32_t address, const void *bytes, uint32_t count) {
    return memcpy(flash + address, bytes, count), 0;
}
static int32_t flash_erase(void *context, uint32_t at) { return memset(flash + at, 255, PAGE), 0; }
static bool link_send(void *context, const void *frame, uint32_t count) {
    memcpy(packet + 1, frame, count), packet[0] = CONTROL;
    return send(line.fd, packet, 1 + count, MSG_NOSIGNAL) > 0 || true; /* lost with the link */
}
static uint64_t now(void *context) {
    struct timespec time;
    return clock_gettime(CLOCK_MONOTONIC, &time), time.tv_sec * 1000000ull + time.tv_nsec / 1000;
}
static const bleota_setup setup = {
    .hooks = {0, flash_read, flash_write, flash_erase, link_send, .now = now},
    .flash = {PAGE, 4, 0, SLOT, SLOT, MANIFEST, RECORD}, .takes_unsigned = true};
static bool take_packet(bleota_receiver *receiver) { /* false if the link is over */
    ssize_t count = recv(line.fd, packet, sizeof(packet), 0) - 1;
    uint8_t kind = packet[0], answer = kind == BARRIER ? BARRIER_ANSWER : RESPONSE;
    if ((size_t)count > 244 || kind < CONTROL || kind > BARRIER || kind == RESPONSE) return false;
    if (kind <= CONTROL_ASKING) MUST(bleota_receiver_take_control(receiver, packet + 1, count));
    else if (kind <= DATA_ASKING) MUST(bleota_receiver_take_data(receiver, packet + 1, count));
    return kind % 2 == 0 || send(line.fd, &answer, 1, MSG_NOSIGNAL) == 1;
}
int main(int argc, char **argv) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int door = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    bleota_receiver *receiver;
    bleota_record last;
    uint32_t wait;
    memset(flash, 0xFF, sizeof(flash));
    strncpy(at.sun_path, argv[argc - 1], sizeof(at.sun_path) - 1);
    if (bind(door, (void *)&at, sizeof at) || listen(door, 1)) err(1, "%s", at.sun_path);
    for (; bleota_read_record(&setup, &last) && (line.fd = accept(door, 0, 0)) >= 0; close(line.fd)) {
        if (send(line.fd, hello, 8, MSG_NOSIGNAL) < 8 || recv(line.fd, packet, 9, 0) < 8) continue;
        MUST(bleota_receiver_start(memory, sizeof(memory), &setup, &receiver));
        do MUST(bleota_receiver_run(receiver, &wait));
        while (poll(&line, 1, wait / 1000 + 1) == 0 || take_packet(receiver));
    }
    return write(1, flash, last.image_byte_count) != last.image_byte_count;
}
