#ifndef TIME_H
#define TIME_H

typedef long long time_t;

#endif
