#include "options.h"

#include "log.h"
#include "memory.h"
#include "semihosting.h"

options_values options;

static char command_line[256];

static const struct {
    const char *name;
    uint32_t *value;
} numbers[] = {
    { "cut=", &options.cut },
    { "cutfrom=", &options.cut_from },
    { "cutevery=", &options.cut_every },
    { "tear=", &options.tear },
    { "fail=", &options.fail },
    { "erase_us=", &options.erase_microseconds },
    { "write_us=", &options.write_microseconds },
};

static const struct {
    const char *name;
    bool *value;
} flags[] = {
    { "exit", &options.exits_at_cut },
    { "quiet", &options.is_quiet },
};

static const struct {
    const char *name;
    const char **value;
} paths[] = {
    { "flash=", &options.flash_path },
    { "dump=", &options.dump_path },
    { "trust=", &options.trust_path },
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/// What follows a name in a word, or null if the word begins otherwise.
static const char *value_of(const char *word, const char *name) {
    uint32_t length = text_length(name);
    return text_length(word) >= length && memcmp(word, name, length) == 0 ? word + length : 0;
}

static uint32_t number_of(const char *digits) {
    uint32_t number = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++) {
        number = number * 10 + (uint32_t)(*digits - '0');
    }
    return number;
}

static bool read_word(const char *word) {
    const char *value;
    for (uint32_t i = 0; i < COUNT(numbers); i++) {
        if ((value = value_of(word, numbers[i].name)) != 0) {
            *numbers[i].value = number_of(value);
            return true;
        }
    }
    for (uint32_t i = 0; i < COUNT(paths); i++) {
        if ((value = value_of(word, paths[i].name)) != 0) {
            *paths[i].value = value;
            return true;
        }
    }
    for (uint32_t i = 0; i < COUNT(flags); i++) {
        if ((value = value_of(word, flags[i].name)) != 0 && *value == 0) {
            *flags[i].value = true;
            return true;
        }
    }
    return false;
}

static _Noreturn void refuse(const char *word) {
    log_begin("error");
    log_text("option", word);
    log_end();
    semihosting_exit(2);
}

/// Ends the first word of a text with a zero byte, and gives what comes after it.
static char *cut_word(char *text) {
    while (*text != 0 && *text != ' ') {
        text++;
    }
    while (*text == ' ') {
        *text++ = 0;
    }
    return text;
}

void options_read(void) {
    if (!semihosting_command_line(command_line, sizeof command_line)) {
        refuse("the command line does not fit");
    }
    char *word = cut_word(command_line); // the first is the name of the program
    while (*word != 0) {
        char *next = cut_word(word);
        if (!read_word(word)) {
            refuse(word);
        }
        word = next;
    }
}
