// SPDX-License-Identifier: Apache-2.0
// The start tags of an XML text, one after the other, with their attributes: enough to see what kind of
// file it is and which files it includes. libmujoco does the real parsing.
#ifndef CR_TOOLS_TAGS_H
#define CR_TOOLS_TAGS_H

#include <stdbool.h>
#include <stddef.h>

/// A piece of the text.
typedef struct {
  char* at;
  size_t n;
} cr_piece;

typedef struct {
  char* next;           // rest of the text, 0-terminated
  cr_piece name;        // of the tag
  cr_piece attributes;  // the text behind the name
} cr_tags;

/// Moves on to the next start tag, past comments, declarations and end tags; false at the end.
/// Begin with {.next = text}.
bool cri_tags_next(cr_tags* tags);

bool cri_piece_is(cr_piece piece, const char* word);

/// An attribute of the present tag: all of it in `whole`, the text between the quotes in `value`
/// (either may be NULL).
bool cri_tags_attribute(const cr_tags* tags, const char* name, cr_piece* whole, cr_piece* value);

#endif
