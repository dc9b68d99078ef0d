/* A TCG plugin for qemu-user that counts the RISC-V instructions that run between marks, by phase.
 *
 *     qemu-riscv64 -cpu ... -plugin libtally.so,out=FILE PROGRAM ...
 *
 * A phase begins with `slti zero, zero, 1024 + phase` (0 to 63) and lasts until the next begins or `slti
 * zero, zero, 1280` ends it. Instructions outside of phases and marks are not counted. A call extends from
 * the first mark to 1280. FILE gets
 *
 *     insn PHASE ADDRESS WORD VTYPE N    an instruction that ran N times under this vtype: its lowest 6 bits,
 * or -1 where the program set it from a register or not at all calls N different M                M of N
 * calls did not run the same instructions in the same order with the same addresses of loads and stores as
 * the first
 *
 * ADDRESS and WORD are hexadecimal. One virtual processor is assumed. counting.py defines the counts.
 *
 * The plugin interface is declared here, because Debian packages no header for it: version 1, of QEMU 6.0
 * to 8.1. Other versions refuse the plugin, and then the log is counted. */

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- QEMU's side --- */

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { NO_REGISTERS = 0, LOADS_AND_STORES = 3 };

#define EXPORT __attribute__((visibility("default")))
EXPORT extern int qemu_plugin_version;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*callback)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*callback)(qemu_plugin_id_t, void *),
                                    void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, void (*callback)(unsigned, void *),
                                            int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      void (*callback)(unsigned, qemu_plugin_meminfo_t, uint64_t, void *),
                                      int flags, int access, void *data);

EXPORT int qemu_plugin_version = 1;

/* --- counting --- */

enum { PHASES = 64, END = 256, VTYPES = 65, UNKNOWN = 64, BUCKETS = 1 << 14 };

/* An instruction at an address. Code that is translated again uses its record. */
struct record {
    uint64_t address;
    uint32_t word;
    unsigned size;
    int mark;                 /* the phase that it begins, END, or -1 */
    int vtype;                /* what it sets; -1 where it sets none */
    uint64_t *counts[PHASES]; /* by vtype */
    struct record *next;
};

static struct record *records[BUCKETS];
static int phase = -1;
static int vtype = UNKNOWN;
static uint64_t calls, different, first_trace, trace;
static FILE *out;

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fputs("tally: no memory\n", stderr);
        exit(1);
    }
    return memory;
}

static int mark_of(uint32_t word, unsigned size) {
    if (size == 4 && (word & 0xfffff) == 0x02013) { /* slti zero, zero, ... */
        const unsigned number = (word >> 20) - 1024;
        if (number < PHASES || number == END) {
            return (int)number;
        }
    }
    return -1;
}

static int vtype_of(uint32_t word, unsigned size) {
    if (size != 4 || (word & 0x707f) != 0x7057) {
        return -1;
    }
    /* vsetvli and vsetivli have it as an immediate, vsetvl in a register. */
    return word >> 31 == 0 || word >> 30 == 3 ? (int)(word >> 20 & 63) : UNKNOWN;
}

static struct record *find(uint64_t address, uint32_t word, unsigned size) {
    struct record **bucket = &records[address / 2 % BUCKETS];
    for (struct record *record = *bucket; record; record = record->next) {
        if (record->address == address && record->word == word) {
            return record;
        }
    }
    struct record *record = allocate(1, sizeof *record);
    *record = (struct record){
        .address = address,
        .word = word,
        .size = size,
        .mark = mark_of(word, size),
        .vtype = vtype_of(word, size),
        .next = *bucket,
    };
    return *bucket = record;
}

/* A step of the hash over addresses in their order (FNV-1a with 64-bit digits). */
static void follow(uint64_t address) { trace = (trace ^ address) * UINT64_C(0x100000001b3); }

static void end_call(void) {
    phase = -1;
    if (calls++ == 0) {
        first_trace = trace;
    } else if (trace != first_trace) {
        different++;
    }
    trace = 0;
}

static void executed(unsigned processor, void *data) {
    (void)processor;
    struct record *record = data;
    if (record->vtype >= 0) {
        vtype = record->vtype;
    }
    if (record->mark == END) {
        if (phase >= 0) {
            end_call();
        }
    } else if (record->mark >= 0) {
        phase = record->mark;
    } else if (phase >= 0) {
        if (record->counts[phase] == NULL) {
            record->counts[phase] = allocate(VTYPES, sizeof(uint64_t));
        }
        record->counts[phase][vtype]++;
        follow(record->address);
    }
}

static void accessed(unsigned processor, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
    (void)processor;
    (void)info;
    (void)data;
    if (phase >= 0) {
        follow(~address);
    }
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    const size_t count = qemu_plugin_tb_n_insns(block);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        const size_t size = qemu_plugin_insn_size(insn);
        uint32_t word = 0;
        memcpy(&word, qemu_plugin_insn_data(insn), size < 4 ? size : 4);
        struct record *record = find(qemu_plugin_insn_vaddr(insn), word, (unsigned)size);
        qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, NO_REGISTERS, record);
        qemu_plugin_register_vcpu_mem_cb(insn, accessed, NO_REGISTERS, LOADS_AND_STORES, NULL);
    }
}

static void print(const struct record *record, int number) {
    for (int type = 0; record->counts[number] && type < VTYPES; type++) {
        if (record->counts[number][type]) {
            fprintf(out, "insn %d %" PRIx64 " %0*" PRIx32 " %d %" PRIu64 "\n", number, record->address,
                    (int)(2 * record->size), record->word, type == UNKNOWN ? -1 : type,
                    record->counts[number][type]);
        }
    }
}

static void finished(qemu_plugin_id_t id, void *data) {
    (void)id;
    (void)data;
    for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
        for (const struct record *record = records[bucket]; record; record = record->next) {
            for (int number = 0; number < PHASES; number++) {
                print(record, number);
            }
        }
    }
    fprintf(out, "calls %" PRIu64 " different %" PRIu64 "\n", calls, different);
    if (ferror(out) | fclose(out)) {
        fputs("tally: cannot write the counts\n", stderr);
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv) {
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "out=", 4) == 0) {
            out = fopen(argv[i] + 4, "w");
        }
    }
    if (out == NULL) {
        fputs("tally: needs out=FILE, a file that can be written\n", stderr);
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finished, NULL);
    return 0;
}
