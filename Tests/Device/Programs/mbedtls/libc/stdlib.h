#ifndef STDLIB_H
#define STDLIB_H

#include <stddef.h>

#endif
