#include "lines.h"

int importer_device = 0;

static const char *prefix(void) { return importer_device ? "cross " : ""; }

void say(const char *name, int code) { printf("%s%s: %d\n", prefix(), name, code); }

void say_value(const char *name, Pointer value) { printf("%s%s: = %llu\n", prefix(), name, value); }

void say_answer(const char *name, struct Answer answer) {
    if (answer.signal) printf("%s%s: signal %d\n", prefix(), name, answer.signal);
    else say(name, answer.code);
}
