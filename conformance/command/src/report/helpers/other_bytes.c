/* Counts the bytes that differ from a value. */
static uint64_t other_bytes(const unsigned char *bytes, uint64_t count, unsigned char value) {
    uint64_t others = 0;
    for (uint64_t index = 0; index < count; index++)
        others += bytes[index] != value;
    return others;
}
