/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_FREERTOS_QUEUE_H
#define STUB_FREERTOS_QUEUE_H
#include "freertos/FreeRTOS.h"
struct QueueDefinition;
typedef struct QueueDefinition *QueueHandle_t;
/* xQueueCreate and xQueueSend are macros in FreeRTOS. */
QueueHandle_t xQueueCreate(UBaseType_t uxQueueLength, UBaseType_t uxItemSize);
BaseType_t xQueueSend(QueueHandle_t xQueue, const void *pvItemToQueue, TickType_t xTicksToWait);
BaseType_t xQueueReceive(QueueHandle_t xQueue, void *const pvBuffer, TickType_t xTicksToWait);
#endif
