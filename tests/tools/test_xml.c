// SPDX-License-Identifier: Apache-2.0
// The tree of an XML file: order, attributes, lines; a file that is not well-formed is refused with its line.
#include "tools/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

static cr_xml* read_text(const char* text) {
  cr_xml* root = NULL;
  if (cri_xml_read(&root, scratch_write("file.xml", text), &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return root;
}

TEST(tree_in_the_order_of_the_file) {
  cr_xml* root = read_text(
      "<?xml version='0.0'?>\n<a x='1' y='two &amp; three'>\n<!-- <b/> -->text<b/>\n\n<c>\n<b "
      "z=''/>"
      "</c><b n='2'/></a>\n");
  assert_string_equal(root->name, "a");
  assert_int_equal(root->line, 2);
  assert_null(root->parent);
  assert_string_equal(cri_xml_attribute(root, "x"), "1");
  assert_string_equal(cri_xml_attribute(root, "y"), "two & three");
  assert_null(cri_xml_attribute(root, "z"));
  const cr_xml *b = cri_xml_child(root, "b"), *c = cri_xml_child(root, "c");
  assert_ptr_equal(b, root->child);
  assert_int_equal(b->line, 3);
  assert_ptr_equal(b->parent, root);
  assert_int_equal(c->line, 5);
  assert_string_equal(cri_xml_attribute(c->child, "z"), "");
  assert_int_equal(c->child->line, 6);
  assert_string_equal(cri_xml_attribute(cri_xml_next(b), "n"), "2");
  assert_null(cri_xml_next(cri_xml_next(b)));
  assert_null(cri_xml_child(root, "d"));
  cri_xml_free(root);
  cri_xml_free(NULL);
}

static void refused(const char* text, const char* because) {
  cr_xml* root = NULL;
  const char* path = scratch_write("file.xml", text);
  error = (cr_error){0};
  assert_int_equal(cri_xml_read(&root, path, &error), CR_ERR_FORMAT);
  assert_null(root);
  if (strstr(error.text, because) == NULL || strstr(error.text, path) == NULL) {
    fail_msg("'%s' does not say '%s' and '%s'", error.text, path, because);
  }
}

TEST(mistakes_name_their_line) {
  refused("", ":1: not well-formed XML: no element found");
  refused("<a>\n<b>\n</a>", ":3: not well-formed XML: mismatched tag");
  refused("<a>\n\n<b", ":3: not well-formed XML");
  refused("<a x=1/>", ":1: not well-formed XML");
  refused("<a/>\n<b/>", ":2: not well-formed XML: junk after document element");
  cr_xml* root = NULL;
  assert_int_equal(cri_xml_read(&root, scratch_path("none.xml"), &error), CR_ERR_FILE);
}

TEST(nesting_has_an_end) {
  enum { DEEP = 3000 };
  char* text = malloc(7 * DEEP + 1);
  for (int depth = CR_XML_DEPTH; depth <= DEEP; depth += DEEP - CR_XML_DEPTH) {
    char* at = text;
    for (int i = 0; i < depth; i++) {
      at += sprintf(at, "<a>");
    }
    for (int i = 0; i < depth; i++) {
      at += sprintf(at, "</a>");
    }
    if (depth == CR_XML_DEPTH) {
      cri_xml_free(read_text(text));
    } else {
      refused(text, "elements are nested more than 256 deep");
    }
  }
  free(text);
}

// a few bytes that would grow to gigabytes
TEST(entities_do_not_explode) {
  char text[4096] = "<!DOCTYPE a [<!ENTITY e0 'xxxxxxxxxx'>";
  for (int i = 1; i < 12; i++) {
    (void)sprintf(text + strlen(text), "<!ENTITY e%d '", i);
    for (int k = 0; k < 10; k++) {
      (void)sprintf(text + strlen(text), "&e%d;", i - 1);
    }
    (void)strcat(text, "'>");
  }
  (void)strcat(text, "]><a>&e11;</a>");
  refused(text, "limit on input amplification");
}

TEST(first_element) {
  const char* path =
      scratch_write("broken.xml", "<?xml version='1.0'?><!-- x --><robot><x></robot");
  assert_true(cri_xml_root_is(path, "robot"));
  assert_false(cri_xml_root_is(path, "mujoco"));
  assert_false(cri_xml_root_is(scratch_path("none.xml"), "robot"));
  assert_false(cri_xml_root_is(scratch_write("no.xml", "plain text"), "robot"));
  assert_false(cri_xml_root_is(scratch_write("empty.xml", ""), "robot"));
}
