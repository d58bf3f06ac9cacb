#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C source of the extension module carom._carom, for the stable ABI of Python.

    make_module.py CDEF EXTRA_CDEF OUT_C

CDEF is what make_cdef.py wrote, EXTRA_CDEF the functions of the extension itself (src/helpers.h).
"""
import re
import sys
from pathlib import Path

import cffi

# functions of Python that C calls: `code` in python/src/helpers.h says when
CALLBACKS = """
extern "Python" cr_status carom_py_loss(void* handle, int item, int worker, double* loss);
extern "Python" cr_status carom_py_control(void* context, const cr_model* m, const cr_data* d, int step, double* ctrl);
extern "Python" bool carom_py_stop(void* context);
extern "Python" cr_status carom_py_objective(void* context, int batch, const double* x, double* value,
                                             double* gradient, cr_error* error);
extern "Python" cr_status carom_py_residual(void* context, const cr_model* m, const cr_data* d, double* r);
extern "Python" cr_status carom_py_residual_bar(void* context, const cr_model* m, const cr_data* d, const double* r_bar,
                                                cr_data* bar);
extern "Python" cr_loss carom_py_more(void* context, int worker, int nstep, double interval);
"""


def main(cdef, extra, out):
    builder = cffi.FFI()
    builder.cdef(Path(cdef).read_text())
    helpers = Path(extra).read_text()
    builder.cdef(re.sub(r"//.*|^#.*", "", helpers, flags=re.M))
    builder.cdef(CALLBACKS)
    builder.set_source("carom._carom", '#include "carom/carom.h"\n#include "helpers.h"\n', py_limited_api=True)
    builder.emit_c_code(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
