/* The answers, one a line: "name: code", "name: = value", or "name: signal number" where the call ended its process. */
#pragma once
#include "peer.h"

/* What begins every name: nothing, or "cross " where the importer is on another device. */
extern const char *prefix;

void say(const char *name, int code);
void say_value(const char *name, Pointer value);
void say_answer(const char *name, struct Answer answer);
