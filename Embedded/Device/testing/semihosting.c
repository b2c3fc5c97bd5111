#include "semihosting.h"

#include "memory.h"

enum operation {
    OPERATION_OPEN = 0x01,
    OPERATION_CLOSE = 0x02,
    OPERATION_WRITE0 = 0x04,
    OPERATION_WRITE = 0x05,
    OPERATION_READ = 0x06,
    OPERATION_SEEK = 0x0A,
    OPERATION_GET_COMMAND_LINE = 0x15,
    OPERATION_EXIT_EXTENDED = 0x20,
};

static uint32_t call(enum operation operation, const void *parameter) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = parameter;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void semihosting_print(const char *text) { call(OPERATION_WRITE0, text); }

bool semihosting_command_line(char *text, uint32_t byte_count) {
    uint32_t parameters[2] = { (uint32_t)text, byte_count };
    return call(OPERATION_GET_COMMAND_LINE, parameters) == 0;
}

int32_t semihosting_open(const char *path, semihosting_mode mode) {
    uint32_t parameters[3] = { (uint32_t)path, mode, text_length(path) };
    return (int32_t)call(OPERATION_OPEN, parameters);
}

void semihosting_close(int32_t file) {
    uint32_t parameters[1] = { (uint32_t)file };
    call(OPERATION_CLOSE, parameters);
}

/// The host answers reading and writing with the number of bytes that it did not move.
static bool move(
    enum operation operation, int32_t file, uint32_t offset, const void *bytes, uint32_t count) {
    uint32_t place[2] = { (uint32_t)file, offset };
    uint32_t parameters[3] = { (uint32_t)file, (uint32_t)bytes, count };
    return call(OPERATION_SEEK, place) == 0 && call(operation, parameters) == 0;
}

bool semihosting_read_at(int32_t file, uint32_t offset, void *bytes, uint32_t byte_count) {
    return move(OPERATION_READ, file, offset, bytes, byte_count);
}

bool semihosting_write_at(
    int32_t file, uint32_t offset, const void *bytes, uint32_t byte_count) {
    return move(OPERATION_WRITE, file, offset, bytes, byte_count);
}

_Noreturn void semihosting_exit(uint32_t status) {
    uint32_t parameters[2] = { 0x20026, status };
    for (;;) {
        call(OPERATION_EXIT_EXTENDED, parameters);
    }
}
