/* Wine 8 lacks this library, from which Rust's standard library gets random bytes. */

#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL ProcessPrng(BYTE *bytes, SIZE_T size) { return RtlGenRandom(bytes, (ULONG)size); }
