#include "groups.h"

static void granularity(const char *name, int handle_types, int option) {
    Properties properties = {PINNED, handle_types, {DEVICE, 0}, NULL, {0}};
    size_t size = 0;
    NEED(cuMemGetAllocationGranularity(&size, &properties, option));
    say_value(name, size);
}

void environment(void) {
    static const struct { const char *name; int attribute; } attributes[] = {
        {"attribute unified addressing", 41}, {"attribute virtual memory management", 102},
        {"attribute file descriptors", 103}, {"attribute fabric", 128}, {"attribute interprocess events", 125},
        {"attribute memory pools", 115}, {"attribute pool handle types", 119}, {"attribute multicast", 132},
        {"attribute dma-buf", 124}, {"attribute pageable memory access", 88},
        {"attribute concurrent managed access", 89}, {"attribute RDMA of virtual memory", 110},
    };
    Object context = enter(0);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        int value = -1;
        NEED(cuDeviceGetAttribute(&value, attributes[i].attribute, 0));
        say_value(attributes[i].name, (Pointer)value);
    }
    granularity("granularity minimum", 0, MINIMUM);
    granularity("granularity recommended", 0, RECOMMENDED);
    granularity("granularity minimum fabric", FABRIC, MINIMUM);
    granularity("granularity recommended fabric", FABRIC, RECOMMENDED);
    say("peer access to itself", cuCtxEnablePeerAccess(context, 0));
}
