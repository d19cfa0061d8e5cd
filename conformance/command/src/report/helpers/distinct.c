/* Whether no two of some numbers are equal. */
static int are_distinct(const unsigned long long *numbers, size_t count) {
    for (size_t one = 0; one < count; one++)
        for (size_t other = one + 1; other < count; other++)
            if (numbers[one] == numbers[other])
                return 0;
    return 1;
}
