/// FreeRTOS and the small services of ESP-IDF on this machine: tasks are threads.

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "esp_log.h"
#include "esp_random.h"
#include "esp_system.h"
#include "esp_timer.h"
#include "firmware.h"
#include "freertos/queue.h"
#include "freertos/task.h"

struct QueueDefinition {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned length, item_byte_count, first, count;
    unsigned char items[];
};

QueueHandle_t xQueueCreate(UBaseType_t uxQueueLength, UBaseType_t uxItemSize) {
    QueueHandle_t queue = calloc(1, sizeof *queue + uxQueueLength * uxItemSize);

    if (queue != NULL) {
        pthread_mutex_init(&queue->lock, NULL);
        pthread_cond_init(&queue->changed, NULL);
        queue->length = uxQueueLength;
        queue->item_byte_count = uxItemSize;
    }
    return queue;
}

static void *item(QueueHandle_t queue, unsigned index) {
    return queue->items + (queue->first + index) % queue->length * queue->item_byte_count;
}

BaseType_t xQueueSend(QueueHandle_t xQueue, const void *pvItemToQueue, TickType_t xTicksToWait) {
    BaseType_t result = pdFALSE;

    if (xTicksToWait != 0) {
        abort();
    }
    pthread_mutex_lock(&xQueue->lock);
    if (xQueue->count < xQueue->length) {
        memcpy(item(xQueue, xQueue->count), pvItemToQueue, xQueue->item_byte_count);
        xQueue->count++;
        result = pdTRUE;
        pthread_cond_signal(&xQueue->changed);
    }
    pthread_mutex_unlock(&xQueue->lock);
    return result;
}

static struct timespec after(TickType_t ticks) {
    struct timespec time;
    long nanoseconds = (long)(ticks % configTICK_RATE_HZ) * (1000000000 / configTICK_RATE_HZ);

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += ticks / configTICK_RATE_HZ + (time.tv_nsec + nanoseconds) / 1000000000;
    time.tv_nsec = (time.tv_nsec + nanoseconds) % 1000000000;
    return time;
}

BaseType_t xQueueReceive(QueueHandle_t xQueue, void *const pvBuffer, TickType_t xTicksToWait) {
    struct timespec end = after(xTicksToWait == portMAX_DELAY ? 0 : xTicksToWait);
    int error = xTicksToWait == 0 ? 1 : 0;
    BaseType_t result = pdFALSE;

    pthread_mutex_lock(&xQueue->lock);
    while (xQueue->count == 0 && error == 0) {
        error = xTicksToWait == portMAX_DELAY
            ? pthread_cond_wait(&xQueue->changed, &xQueue->lock)
            : pthread_cond_timedwait(&xQueue->changed, &xQueue->lock, &end);
    }
    if (xQueue->count > 0) {
        memcpy(pvBuffer, item(xQueue, 0), xQueue->item_byte_count);
        xQueue->first = (xQueue->first + 1) % xQueue->length;
        xQueue->count--;
        result = pdTRUE;
    }
    pthread_mutex_unlock(&xQueue->lock);
    return result;
}

struct start {
    TaskFunction_t task;
    void *argument;
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;

    free(argument);
    start.task(start.argument);
    return NULL;
}

BaseType_t xTaskCreate(TaskFunction_t pxTaskCode, const char *const pcName, const uint32_t usStackDepth,
    void *const pvParameters, UBaseType_t uxPriority, TaskHandle_t *const pxCreatedTask) {
    struct start *start = malloc(sizeof *start);
    pthread_t thread;

    (void)pcName, (void)usStackDepth, (void)uxPriority, (void)pxCreatedTask;
    *start = (struct start) { pxTaskCode, pvParameters };
    return pthread_create(&thread, NULL, run, start) == 0 ? pdPASS : pdFALSE;
}

int64_t esp_timer_get_time(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

uint32_t esp_random(void) { return arc4random(); }

void esp_restart(void) { _exit(FIRMWARE_RESTARTS); }

void stub_log(const char *tag, const char *format, ...) {
    va_list arguments;
    char line[256];

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "firmware: %s: %s\n", tag, line);
}
