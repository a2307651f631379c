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
#include <unistd.h>

#include "skeleton.h"

struct Task {
  struct Task* next;
  void (*run)(void*);
  char work[]; /* a copy */
};

/* A stream that was destroyed is given out again: its counts go on, so that events of before stay
 * true. */
struct PdStreamObject {
  PdDevice device;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
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
};

static PdStream streams;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* argument) {
  PdStream s = argument;
  for (;;) {
    pthread_mutex_lock(&s->mutex);
    while (!s->first && !s->ends) pthread_cond_wait(&s->changed, &s->mutex);
    struct Task* task = s->first;
    if (task && !(s->first = task->next)) s->last = &s->first;
    pthread_mutex_unlock(&s->mutex);
    if (!task) return NULL;
    if (rand_r(&s->seed) % 8 == 0) usleep((useconds_t)(rand_r(&s->seed) % 200));
    task->run(task->work);
    free(task);
    pthread_mutex_lock(&s->mutex);
    ++s->done;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
  }
}

void skeleton_issue(PdStream s, void (*run)(void*), const void* argument, size_t bytes) {
  if (!skeleton_lag || !s) { /* no stream: without the group of streams */
    run((void*)argument);
    return;
  }
  struct Task* task = malloc(sizeof *task + bytes);
  task->next = NULL;
  task->run = run;
  memcpy(task->work, argument, bytes);
  pthread_mutex_lock(&s->mutex);
  *s->last = task;
  s->last = &task->next;
  ++s->issued;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->mutex);
}

static uint64_t issued(PdStream s) {
  pthread_mutex_lock(&s->mutex);
  const uint64_t count = s->issued;
  pthread_mutex_unlock(&s->mutex);
  return count;
}

static int is_done(PdStream s, uint64_t task) {
  pthread_mutex_lock(&s->mutex);
  const int done = s->done >= task;
  pthread_mutex_unlock(&s->mutex);
  return done;
}

static void wait_for(PdStream s, uint64_t task) {
  pthread_mutex_lock(&s->mutex);
  while (s->done < task) pthread_cond_wait(&s->changed, &s->mutex);
  pthread_mutex_unlock(&s->mutex);
}

void skeleton_wait(PdStream s) {
  if (s) wait_for(s, issued(s));
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
  static unsigned seed = 1;
  pthread_mutex_lock(&lock);
  PdStream s = streams;
  while (s && (s->in_use || s->device != args->device)) s = s->next;
  if (!s) {
    s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->last = &s->first;
    s->device = args->device;
    s->seed = seed++;
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
  PdStream s = args->stream;
  if (skeleton_lag) {
    pthread_mutex_lock(&s->mutex);
    s->ends = 1;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    pthread_join(s->thread, NULL);
  }
  pthread_mutex_lock(&lock);
  s->in_use = 0;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static PdError* query(PdStreamArgs* args) {
  args->done = is_done(args->stream, issued(args->stream));
  return NULL;
}

static PdError* synchronize(PdStreamArgs* args) {
  skeleton_wait(args->stream);
  return NULL;
}

const PdStreamGroup skeleton_streams = {sizeof(PdStreamGroup), create, destroy, query, synchronize};

/* -- events -------------------------------------------------------------------------------- */

static PdError* create_event(PdEventArgs* args) {
  args->event = calloc(1, sizeof(struct PdEventObject));
  return NULL;
}

static PdError* destroy_event(PdEventArgs* args) {
  free(args->event);
  return NULL;
}

static PdError* record(PdEventArgs* args) {
  args->event->stream = args->stream;
  args->event->task = issued(args->stream);
  return NULL;
}

static void wait_on_stream(void* point) {
  const struct PdEventObject* event = point;
  wait_for(event->stream, event->task);
}

static PdError* wait_event(PdEventArgs* args) {
  const struct PdEventObject* event = args->event;
  if (!event->stream || event->stream == args->stream) return NULL;
  skeleton_issue(args->stream, wait_on_stream, event, sizeof *event);
  return NULL;
}

static PdError* query_event(PdEventArgs* args) {
  args->done = !args->event->stream || is_done(args->event->stream, args->event->task);
  return NULL;
}

static PdError* synchronize_event(PdEventArgs* args) {
  if (args->event->stream) wait_for(args->event->stream, args->event->task);
  return NULL;
}

const PdEventGroup skeleton_events = {sizeof(PdEventGroup), create_event, destroy_event,    record,
                                      wait_event,           query_event,  synchronize_event};
