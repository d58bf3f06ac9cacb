#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C source of the extension module carom._carom, for the stable ABI of Python.

    make_module.py CDEF OUT_C HEADER ...

CDEF is what make_cdef.py wrote, the headers have the functions of the extension itself (python/src).
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
extern "Python" cr_status carom_py_mpc_step(void* context, int worker, const double* x, const double* u, double* next, double* A,
                                            double* B, cr_error* error);
extern "Python" cr_loss carom_py_more(void* context, int worker, int nstep, double interval);
"""


def main(cdef, out, *headers):
    builder = cffi.FFI()
    builder.cdef(Path(cdef).read_text())
    for header in headers:
        builder.cdef(re.sub(r"//.*|^#.*", "", Path(header).read_text(), flags=re.M))
    builder.cdef(CALLBACKS)
    sources = "".join(f'#include "{name}"\n' for name in ("carom/carom.h", *(Path(header).name for header in headers)))
    builder.set_source("carom._carom", sources, py_limited_api=True)
    builder.emit_c_code(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
