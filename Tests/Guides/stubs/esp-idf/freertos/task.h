/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_FREERTOS_TASK_H
#define STUB_FREERTOS_TASK_H
#include "freertos/FreeRTOS.h"
struct tskTaskControlBlock;
typedef struct tskTaskControlBlock *TaskHandle_t;
typedef void (*TaskFunction_t)(void *);
/* Inline in ESP-IDF. */
BaseType_t xTaskCreate(TaskFunction_t pxTaskCode, const char *const pcName,
                       const uint32_t usStackDepth, void *const pvParameters,
                       UBaseType_t uxPriority, TaskHandle_t *const pxCreatedTask);
#endif
