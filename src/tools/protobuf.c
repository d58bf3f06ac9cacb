// SPDX-License-Identifier: Apache-2.0
// The wire format of Protocol Buffers. A key is a varint, number times 8 plus the wire type.
#include "tools/protobuf.h"

#include <stdlib.h>

bool cri_span_is(cri_span a, const char* text) {
  return a.n == strlen(text) && (a.n == 0 || memcmp(a.data, text, a.n) == 0);
}

bool cri_span_same(cri_span a, cri_span b) {
  return a.n == b.n && (a.n == 0 || memcmp(a.data, b.data, a.n) == 0);
}

const char* cri_span_text(cri_span a, char text[CRI_SPAN_TEXT]) {
  size_t n = 0;
  for (; n < a.n && n < CRI_SPAN_TEXT - 1; n++) {
    text[n] = a.data[n] >= 32 && a.data[n] < 127 ? (char)a.data[n] : '?';
  }
  text[n] = 0;
  return text;
}

// ---- reading

bool cri_pb_varint(cri_pb_reader* r, uint64_t* value) {
  *value = 0;
  if (r->failed || r->left.n == 0) {
    return false;
  }
  for (int shift = 0; shift < 64 && r->left.n > 0; shift += 7) {
    const unsigned char c = *r->left.data++;
    r->left.n--;
    *value |= (uint64_t)(c & 0x7f) << shift;
    if ((c & 0x80) == 0) {
      return true;
    }
  }
  r->failed = true;
  return false;
}

// n bytes from the front
static bool take(cri_pb_reader* r, uint64_t n, cri_span* bytes) {
  if (n > r->left.n) {
    r->failed = true;
    return false;
  }
  *bytes = (cri_span){r->left.data, (size_t)n};
  r->left.data += n;
  r->left.n -= (size_t)n;
  return true;
}

static uint64_t number_of(cri_span bytes) {
  cri_reader r = {.data = bytes.data, .n = bytes.n};
  return cri_get_number(&r, (int)bytes.n);
}

bool cri_pb_next(cri_pb_reader* r, cri_pb_field* f) {
  uint64_t key, length;
  *f = (cri_pb_field){0};
  if (!cri_pb_varint(r, &key)) {
    return false;
  }
  f->number = (uint32_t)(key >> 3);
  f->wire = (cri_wire)(key & 7);
  switch (f->wire) {
    case CRI_WIRE_VARINT:
      if (!cri_pb_varint(r, &f->value)) {
        r->failed = true;
      }
      return !r->failed;
    case CRI_WIRE_8:
    case CRI_WIRE_4:
      if (!take(r, f->wire == CRI_WIRE_8 ? 8 : 4, &f->bytes)) {
        return false;
      }
      f->value = number_of(f->bytes);
      return true;
    case CRI_WIRE_BYTES:
      if (!cri_pb_varint(r, &length)) {
        r->failed = true;
        return false;
      }
      return take(r, length, &f->bytes);
    default:
      r->failed = true;  // groups are long gone
      return false;
  }
}

// ---- writing

static void put_varint(cri_writer* w, uint64_t x) {
  while (x >= 0x80) {
    cri_put_number(w, (x & 0x7f) | 0x80, 1);
    x >>= 7;
  }
  cri_put_number(w, x, 1);
}

static void put_key(cri_writer* w, uint32_t number, cri_wire wire) {
  put_varint(w, (uint64_t)number << 3 | (uint64_t)wire);
}

void cri_pb_put_int(cri_writer* w, uint32_t number, int64_t value) {
  put_key(w, number, CRI_WIRE_VARINT);
  put_varint(w, (uint64_t)value);
}

void cri_pb_put_float(cri_writer* w, uint32_t number, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_key(w, number, CRI_WIRE_4);
  cri_put_number(w, bits, 4);
}

void cri_pb_put_bytes(cri_writer* w, uint32_t number, const void* data, size_t n) {
  put_key(w, number, CRI_WIRE_BYTES);
  put_varint(w, n);
  cri_put(w, data, n);
}

void cri_pb_put_text(cri_writer* w, uint32_t number, const char* text) {
  cri_pb_put_bytes(w, number, text, strlen(text));
}

void cri_pb_put_message(cri_writer* w, uint32_t number, cri_writer* inner) {
  w->failed = w->failed || inner->failed;
  cri_pb_put_bytes(w, number, inner->data, inner->n);
  free(inner->data);
  *inner = (cri_writer){0};
}
