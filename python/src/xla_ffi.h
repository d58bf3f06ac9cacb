// SPDX-License-Identifier: Apache-2.0
// The part of XLA's foreign function interface that a handler of arrays with one whole number meets: the binary interface of
// xla/ffi/api/c_api.h, versions 0.1 to 0.3, declared here because the package is built without JAX. XLA sets the first member
// of each struct to its size. xla_calls.c compares it.
#ifndef CAROM_PYTHON_XLA_FFI_H
#define CAROM_PYTHON_XLA_FFI_H

#include <stddef.h>
#include <stdint.h>

enum { XLA_MAJOR = 0, XLA_MINOR = 3 };

enum { XLA_EXTENSION_METADATA = 1 };
enum { XLA_ATTRIBUTE_SCALAR = 3 };
enum { XLA_U8 = 6, XLA_F32 = 11, XLA_F64 = 12, XLA_S64 = 5 };
enum { XLA_INVALID_ARGUMENT = 3 };

typedef struct xla_extension {
  size_t size;
  int type;
  struct xla_extension* next;
} xla_extension;

typedef struct {
  size_t size;
  xla_extension* extension;
  int major, minor;
} xla_version;

typedef struct xla_error xla_error;

typedef struct {
  size_t size;
  xla_extension* extension;
  const char* message;
  int code;
} xla_error_arguments;

// more functions follow
typedef struct {
  size_t size;
  xla_extension* extension;
  xla_version version;
  const void* internal;
  xla_error* (*error_create)(xla_error_arguments* arguments);
} xla_api;

typedef struct {
  size_t size;
  xla_extension* extension;
  int type;
  void* data;
  int64_t rank;
  int64_t* dims;
} xla_buffer;

// arguments and results: pointers to xla_buffer
typedef struct {
  size_t size;
  xla_extension* extension;
  int64_t n;
  int* types;
  void** at;
} xla_values;

typedef struct {
  const char* text;
  size_t length;
} xla_span;

typedef struct {
  int type;
  void* value;
} xla_scalar;

typedef struct {
  size_t size;
  xla_extension* extension;
  int64_t n;
  int* types;
  xla_span** names;
  void** at;  // xla_scalar where the type is XLA_ATTRIBUTE_SCALAR
} xla_attributes;

typedef struct {
  size_t size;
  xla_extension* extension;
  const xla_api* api;
  void* context;
  int stage;
  xla_values arguments, results;
  xla_attributes attributes;
} xla_call_frame;

typedef struct {
  size_t size;
  xla_version version;
  uint32_t traits;
} xla_metadata;

typedef struct {
  xla_extension base;
  xla_metadata* metadata;
} xla_metadata_extension;

#endif
