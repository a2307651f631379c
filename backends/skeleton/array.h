/* SPDX-FileCopyrightText: paddle-core contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tensors as the tasks of a stream keep them: copies, since what a call points to is gone when its
 * kernel returns. */
#ifndef SKELETON_ARRAY_H_
#define SKELETON_ARRAY_H_

#include "skeleton.h"

typedef struct Array {
  char* data;
  int32_t dtype, rank;
  int64_t count, shape[SKELETON_MAX_RANK], strides[SKELETON_MAX_RANK];
} Array;

size_t size_of_dtype(int32_t dtype);
double load_number(const char* at, int32_t dtype); /* of a complex number the real part */
void store_number(char* at, int32_t dtype, double value);
double as_dtype(double value, int32_t dtype); /* what a cast keeps of it */
PdError* array_of(const PdTensor* tensor, Array* array);

/* Element by element, dtypes cast; equal shapes. */
void copy_array(const Array* to, const Array* from);
PdError* copy_strided(PdStridedCopyArgs* args);

#endif /* SKELETON_ARRAY_H_ */
