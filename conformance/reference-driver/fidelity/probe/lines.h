/* The answers, one a line: "name: code", "name: = value", or "name: signal number" where the call ended its process. */
#pragma once
#include "peer.h"

/* Where importers are. On another device than the exporter's, which is the first, every name begins with "cross ". */
extern int importer_device;

void say(const char *name, int code);
void say_value(const char *name, Pointer value);
void say_answer(const char *name, struct Answer answer);
