// SPDX-License-Identifier: Apache-2.0
// An XML file as a tree of elements that know their lines, through expat. Text between elements is
// dropped: the formats read here keep all data in attributes.
#ifndef CR_TOOLS_XML_H
#define CR_TOOLS_XML_H

#include "base/status.h"

enum { CR_XML_DEPTH = 256 };

typedef struct cr_xml cr_xml;
struct cr_xml {
  const char* name;
  const char* const* attributes;  // name, value, name, value, ..., NULL
  int line;
  cr_xml *child, *next, *parent;  // children in the order of the file
};

/// Reads a file. Free the root with cri_xml_free. Errors: CR_ERR_FILE, CR_ERR_MEMORY; CR_ERR_FORMAT
/// with file and line if it is not well-formed or nested deeper than CR_XML_DEPTH.
cr_status cri_xml_read(cr_xml** root, const char* path, cr_error* error);

void cri_xml_free(cr_xml* root);

/// True if the file's first element has this name; the rest is not read.
bool cri_xml_root_is(const char* path, const char* name);

/// The value of an attribute, NULL if it is absent.
const char* cri_xml_attribute(const cr_xml* e, const char* name);

/// First child of this name, and the next one of the same name as `e`; NULL if there is none.
const cr_xml* cri_xml_child(const cr_xml* e, const char* name);
const cr_xml* cri_xml_next(const cr_xml* e);

#endif
