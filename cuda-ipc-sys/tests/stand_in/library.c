/* A library that stands in for CUDA's on Windows and with musl: FUNCTION returns CODE and reports VERSION. */

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT
#endif

#ifdef NEEDED
int NEEDED(int *version);
#endif

EXPORT int FUNCTION(int *version) {
#ifdef NEEDED
    return NEEDED(version);
#else
    *version = VERSION;
    return CODE;
#endif
}
