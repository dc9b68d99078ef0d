// A plugin for QEMU (API version 1, 6.0 to 8.1) that counts how often each instruction of a program for
// 64-bit ARM runs, on one thread.
//
// At the end it prints a line for each address to standard error: count, address and instruction, both in
// hexadecimal. Debian's QEMU has no qemu-plugin.h, so its functions are declared here.

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
extern void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                                  void (*callback)(uint64_t id,
                                                                   struct qemu_plugin_tb *block));
extern void qemu_plugin_register_atexit_cb(uint64_t id, void (*callback)(uint64_t id, void *data),
                                           void *data);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
extern void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *instruction, int operation,
                                                       void *counter, uint64_t value);

#define EXPORT __attribute__((visibility("default")))
enum { ADD = 0, BUCKETS = 1 << 16 };

// An address; it may be translated as a part of several blocks.
struct address {
    uint64_t value;
    uint64_t count;
    uint32_t instruction;
    struct address *next;
};
static struct address *table[BUCKETS];

static struct address *find(struct qemu_plugin_insn *instruction) {
    uint64_t value = qemu_plugin_insn_vaddr(instruction);
    struct address **place = &table[value / 4 % BUCKETS];
    while (*place && (*place)->value != value) {
        place = &(*place)->next;
    }
    if (!*place) {
        *place = calloc(1, sizeof **place);
        if (!*place) {
            abort();
        }
        (*place)->value = value;
        memcpy(&(*place)->instruction, qemu_plugin_insn_data(instruction), sizeof(*place)->instruction);
    }
    return *place;
}

static void translated(uint64_t id, struct qemu_plugin_tb *block) {
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        qemu_plugin_register_vcpu_insn_exec_inline(instruction, ADD, &find(instruction)->count, 1);
    }
}

static void ended(uint64_t id, void *data) {
    (void)id;
    (void)data;
    for (size_t i = 0; i < BUCKETS; i++) {
        for (struct address *at = table[i]; at; at = at->next) {
            fprintf(stderr, "%" PRIu64 " %" PRIx64 " %08" PRIx32 "\n", at->count, at->value, at->instruction);
        }
    }
}

EXPORT int qemu_plugin_version = 1;

EXPORT int qemu_plugin_install(uint64_t id, const void *system, int count, char **arguments);
EXPORT int qemu_plugin_install(uint64_t id, const void *system, int count, char **arguments) {
    (void)system;
    (void)count;
    (void)arguments;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
