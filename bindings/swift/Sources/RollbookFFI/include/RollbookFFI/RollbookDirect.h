// The functions for direct calls, which `ffi/src/direct.rs` describes.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct RollbookHead {
    uint64_t lent;
    uint64_t capacity;
    uint64_t length;
    uint16_t status;
    uint16_t allow;
    uint32_t outcome;
} RollbookHead;

uint64_t rollbook_form(void);
void rollbook_call(const void *engine, const uint8_t *input, size_t length, void *output);
void rollbook_give_back(RollbookHead *head);
