#ifndef REPORT_H
#define REPORT_H

/// Logs how a session ended and what it did to the device; writes out a verified image if told to.
void report_session(void);

#endif
