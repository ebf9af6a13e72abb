/* A stand-in for NVIDIA's management library: two cards and a GB10, as the
   documentation of NVML says they answer. FAKE_NVML=hang|fail|lost changes that. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>

typedef struct { char legacy[16]; unsigned domain, bus, device, id, system; char bus_id[32]; } pci_t;
typedef struct { unsigned long long total, free, used; } memory_t;
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } memory_v2_t;
typedef struct { unsigned pid; unsigned long long used; unsigned gpu_instance, compute_instance; } process_t;

#define MIB (1ULL << 20)
static int mode(const char *name) { const char *m = getenv("FAKE_NVML"); return m && !strcmp(m, name); }
static long at(void *handle) { return (long)handle - 1000; }

int nvmlInit_v2(void) { if (mode("hang")) sleep(30); return mode("fail") ? 9 : 0; }
int nvmlSystemGetDriverVersion(char *text, unsigned size) { snprintf(text, size, "580.95.05"); return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 3; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **handle) { *handle = (void *)(1000L + i); return mode("lost") && i == 0 ? 15 : 0; }
int nvmlDeviceGetName(void *handle, char *text, unsigned size) {
  const char *names[] = {"NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 3060", "NVIDIA GB10"};
  snprintf(text, size, "%s", names[at(handle)]);
  return 0;
}
int nvmlDeviceGetUUID(void *handle, char *text, unsigned size) { snprintf(text, size, "GPU-%ld", at(handle)); return 0; }
int nvmlDeviceGetPciInfo_v3(void *handle, pci_t *pci) {
  memset(pci, 0, sizeof *pci);
  snprintf(pci->bus_id, sizeof pci->bus_id, "0000%04X:%02lX:00.0", at(handle) == 2 ? 0xF : 0, at(handle) * 9 + 1);
  return 0;
}
int nvmlDeviceGetMemoryInfo_v2(void *handle, memory_v2_t *m) {
  if (at(handle) == 2) return 3;
  if (at(handle) == 1) return 4; /* as a driver that doesn't know this version */
  if (m->version != (sizeof *m | 2u << 24)) return 2;
  m->total = 24564 * MIB; m->reserved = 500 * MIB; m->free = 23000 * MIB; m->used = 1064 * MIB;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void *handle, memory_t *m) {
  if (at(handle) == 2) return 3;
  m->total = 12288 * MIB; m->free = 12000 * MIB; m->used = 288 * MIB;
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned *count, process_t *list) {
  if (at(handle) != 0) { *count = 0; return 0; }
  if (*count < 3) return 7;
  list[0] = (process_t){4242, 800 * MIB, ~0u, ~0u};
  list[1] = (process_t){4243, ~0ULL, ~0u, ~0u}; /* not available */
  list[2] = (process_t){4244, 64 * MIB, ~0u, ~0u};
  *count = 3;
  return 0;
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *handle, unsigned *count, process_t *list) {
  if (at(handle) != 0) { *count = 0; return 0; }
  list[0] = (process_t){4244, 64 * MIB, ~0u, ~0u};
  *count = 1;
  return 0;
}
