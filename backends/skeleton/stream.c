/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Streams: each has a thread, which sleeps before some of its tasks, so that a host that does not
 * wait overtakes it. Without lag there is no thread, and work is done when it is issued. Events:
 * how many tasks a stream had been given. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "skeleton.h"

struct Task {
  struct Task* next;
  void (*run)(void*);
  char work[]; /* a copy */
};

/* One that was destroyed is given out again: its counts go on, so that events of before stay true.
 */
struct PdStreamObject {
  PdDevice device;
  pthread_t thread;
  struct Task *first, **last;
  uint64_t issued, done;
  int in_use, ends;
  unsigned seed;
  struct PdStreamObject* next; /* of all streams */
};

struct PdEventObject {
  PdStream stream; /* null before record() */
  uint64_t task;
  int timed;
  struct timespec time; /* when it happened, if it is timed */
};

static PdStream streams;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all streams */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void* work(void* argument) {
  PdStream s = argument;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!s->first && !s->ends) pthread_cond_wait(&changed, &lock);
    struct Task* task = s->first;
    if (!task) break;
    if (!(s->first = task->next)) s->last = &s->first;
    const int lag = rand_r(&s->seed) % 8 == 0 ? rand_r(&s->seed) % 200 : 0; /* microseconds */
    pthread_mutex_unlock(&lock);
    if (lag) usleep((useconds_t)lag);
    task->run(task->work);
    free(task);
    pthread_mutex_lock(&lock);
    ++s->done;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

void skeleton_issue(PdStream s, void (*run)(void*), const void* argument, size_t bytes) {
  if (!skeleton_lag || !s) { /* null: without the group of streams */
    run((void*)argument);
    return;
  }
  struct Task* task = malloc(sizeof *task + bytes);
  task->next = NULL;
  task->run = run;
  memcpy(task->work, argument, bytes);
  pthread_mutex_lock(&lock);
  *s->last = task;
  s->last = &task->next;
  ++s->issued;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

/* The event behind what was issued so far. */
static struct PdEventObject now(PdStream s) {
  pthread_mutex_lock(&lock);
  const struct PdEventObject event = {.stream = s, .task = s ? s->issued : 0};
  pthread_mutex_unlock(&lock);
  return event;
}

static int has_happened(const struct PdEventObject* event) {
  pthread_mutex_lock(&lock);
  const int done = !event->stream || event->stream->done >= event->task;
  pthread_mutex_unlock(&lock);
  return done;
}

static void wait_for(void* point) {
  const struct PdEventObject* event = point;
  pthread_mutex_lock(&lock);
  while (event->stream && event->stream->done < event->task) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

void skeleton_wait(PdStream s) {
  struct PdEventObject event = now(s);
  wait_for(&event);
}

void skeleton_wait_for_all(PdDevice device) {
  pthread_mutex_lock(&lock);
  PdStream s = streams; /* new ones are put in front of it */
  pthread_mutex_unlock(&lock);
  for (; s; s = s->next) {
    if (s->device == device) skeleton_wait(s);
  }
}

static PdError* create(PdStreamArgs* args) {
  pthread_mutex_lock(&lock);
  PdStream s = streams;
  while (s && (s->in_use || s->device != args->device)) s = s->next;
  if (!s) {
    s = calloc(1, sizeof *s);
    s->last = &s->first;
    s->device = args->device;
    s->seed = streams ? streams->seed + 1 : 1;
    s->next = streams;
    streams = s;
  }
  s->in_use = 1;
  s->ends = 0;
  pthread_mutex_unlock(&lock);
  if (skeleton_lag) pthread_create(&s->thread, NULL, work, s);
  args->stream = s;
  return NULL;
}

static PdError* destroy(PdStreamArgs* args) {
  pthread_mutex_lock(&lock);
  args->stream->ends = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  if (skeleton_lag) pthread_join(args->stream->thread, NULL);
  pthread_mutex_lock(&lock);
  args->stream->in_use = 0;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static PdError* query(PdStreamArgs* args) {
  const struct PdEventObject event = now(args->stream);
  args->done = has_happened(&event);
  return NULL;
}

static PdError* synchronize(PdStreamArgs* args) {
  skeleton_wait(args->stream);
  return NULL;
}

const PdStreamGroup skeleton_streams = {sizeof(PdStreamGroup), create, destroy, query, synchronize};

/* -- events -------------------------------------------------------------------------------- */

static PdError* create_event(PdEventArgs* args) {
  args->event = calloc(1, sizeof *args->event);
#if PD_VERSION_MINOR >= 1
  args->event->timed = PD_HAS(args, timed) && args->timed; /* a host of 1.0 has no such field */
#endif
  return NULL;
}

static PdError* destroy_event(PdEventArgs* args) {
  if (args->event->timed) wait_for(args->event); /* its stream writes to it */
  free(args->event);
  return NULL;
}

static void take_time(void* work) { clock_gettime(CLOCK_MONOTONIC, &(*(PdEvent*)work)->time); }

static PdError* record(PdEventArgs* args) {
  PdEvent event = args->event;
  if (event->timed) skeleton_issue(args->stream, take_time, &event, sizeof event);
  const struct PdEventObject point = now(args->stream);
  event->stream = point.stream;
  event->task = point.task;
  return NULL;
}

#if PD_VERSION_MINOR >= 1
static PdError* elapsed(PdElapsedArgs* args) {
  const struct PdEventObject *a = args->begin, *b = args->end;
  CHECK(a->timed && b->timed && a->stream && b->stream && has_happened(a) && has_happened(b),
        PD_ERROR_VALUE, "both events must be timed, recorded and have happened.");
  args->milliseconds = (double)(b->time.tv_sec - a->time.tv_sec) * 1e3 +
                       (double)(b->time.tv_nsec - a->time.tv_nsec) / 1e6;
  return NULL;
}
#endif

static PdError* wait_event(PdEventArgs* args) {
  if (args->event->stream == args->stream) return NULL;
  skeleton_issue(args->stream, wait_for, args->event, sizeof *args->event);
  return NULL;
}

static PdError* query_event(PdEventArgs* args) {
  args->done = has_happened(args->event);
  return NULL;
}

static PdError* synchronize_event(PdEventArgs* args) {
  wait_for(args->event);
  return NULL;
}

const PdEventGroup skeleton_events = {.struct_size = sizeof(PdEventGroup),
                                      .create = create_event,
                                      .destroy = destroy_event,
                                      .record = record,
                                      .wait = wait_event,
                                      .query = query_event,
#if PD_VERSION_MINOR >= 1
                                      .elapsed = elapsed,
#endif
                                      .synchronize = synchronize_event};
