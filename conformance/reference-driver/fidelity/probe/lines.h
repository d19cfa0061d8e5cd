/* The results, one per line: "name: code", "name: = value", or "name: signal number" if the call ended its process. */
#pragma once
#include "peer.h"

/* The device of the importers. The exporter is on device 0; on any other device every name begins with "cross ". */
extern int importer_device;

void say(const char *name, int code);
void say_value(const char *name, Pointer value);
void say_answer(const char *name, struct Answer answer);
