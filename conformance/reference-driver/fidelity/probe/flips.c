/*
 * Flips each bit of a valid handle. An H200 opens the memory that the changed bytes name. Reading that memory after the
 * 247th flip breaks the importer's context, so the importer is a process that nothing else uses. If a flip ends that
 * process, the counts stop there.
 */
#include "groups.h"

enum { BITS = 512, POISON = 30 * 8 + 6, SAME_MEMORY = 24 * 8, BYTE = 0x5a };

static Handle flip(Handle handle, int bit) {
    handle.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    return handle;
}

void flipped_bits(void) {
    enum { OPENS, INVALID_VALUE, OUT_OF_MEMORY, INVALID_CONTEXT, OTHERS };
    Pointer counts[OTHERS + 1] = {0}, same = 0, failures = 0;
    struct Peer importer = start_peer(0), exporter = start_peer(0);
    for (unsigned char byte = 1; byte <= 2; byte++)
        NEED(open_memory(&importer, ask(&exporter, ALLOC, byte).handle).code);
    Handle handle = ask(&exporter, ALLOC, BYTE).handle;
    struct Answer poison = {0};
    for (int bit = 0; bit <= POISON && importer.process; bit++) {
        struct Answer import = open_memory(&importer, flip(handle, bit));
        switch (import.code) {
        case 0: counts[OPENS]++; break;
        case 1: counts[INVALID_VALUE]++; break;
        case 2: counts[OUT_OF_MEMORY]++; break;
        case 201: counts[INVALID_CONTEXT]++; break;
        default: counts[OTHERS]++;
        }
        struct Answer read = import.code ? import : ask(&importer, READ_BYTE, import.value);
        if (bit == POISON) poison = read;
        else if (!import.code && importer.process) ask(&importer, CLOSE, import.value);
        same += bit < SAME_MEMORY && !read.code && read.value == BYTE;
    }
    say_value("flip opens", counts[OPENS]);
    say_value("flip invalid value", counts[INVALID_VALUE]);
    say_value("flip out of memory", counts[OUT_OF_MEMORY]);
    say_value("flip invalid context", counts[INVALID_CONTEXT]);
    say_value("flip other code", counts[OTHERS]);
    say_value("flip of bytes 0 to 23 opens the same bytes", same);
    say_answer("flip of byte 30 bit 6 open and read", poison);
    for (int bit = POISON + 1; bit < BITS; bit++)
        failures += !importer.process || open_memory(&importer, flip(handle, bit)).code != 0;
    say_value("flip fails after that", failures);
    end_peer(&importer);
    end_peer(&exporter);
}
