// SPDX-License-Identifier: Apache-2.0
// The wire format of Protocol Buffers, as much of it as ONNX needs: fields of a message one after the other.
#ifndef CR_TOOLS_PROTOBUF_H
#define CR_TOOLS_PROTOBUF_H

#include "base/bytes.h"

/// Bytes within a file, not ended by 0.
typedef struct {
  const unsigned char* data;
  size_t n;
} cri_span;

bool cri_span_is(cri_span a, const char* text);
bool cri_span_same(cri_span a, cri_span b);

enum { CRI_SPAN_TEXT = 64 };

/// Its beginning as text for an error sentence; what cannot be printed becomes '?'.
const char* cri_span_text(cri_span a, char text[CRI_SPAN_TEXT]);

typedef enum { CRI_WIRE_VARINT = 0, CRI_WIRE_8 = 1, CRI_WIRE_BYTES = 2, CRI_WIRE_4 = 5 } cri_wire;

/// A field: its number, and its value as an integer (or the bits of a number), or as bytes.
typedef struct {
  uint32_t number;
  cri_wire wire;
  uint64_t value;
  cri_span bytes;
} cri_pb_field;

/// Reads the next field of a message. false at its end, and where it is damaged: then *failed becomes true.
typedef struct {
  cri_span left;
  bool failed;
} cri_pb_reader;
bool cri_pb_next(cri_pb_reader* r, cri_pb_field* field);

/// The next integer of a packed field; false at its end, or with *failed where it is damaged.
bool cri_pb_varint(cri_pb_reader* r, uint64_t* value);

/// Writes fields.
void cri_pb_put_int(cri_writer* w, uint32_t number, int64_t value);
void cri_pb_put_float(cri_writer* w, uint32_t number, float value);
void cri_pb_put_bytes(cri_writer* w, uint32_t number, const void* data, size_t n);
void cri_pb_put_text(cri_writer* w, uint32_t number, const char* text);

/// Writes what `inner` holds as a field, and frees inner.
void cri_pb_put_message(cri_writer* w, uint32_t number, cri_writer* inner);

#endif
