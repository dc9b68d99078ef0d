"""Runs a WebAssembly program for WASI, preview 1, by wasmtime and exits with its code: python run-wasi.py PROGRAM.wasm ARGUMENT..."""
import os
import sys

from wasmtime import Engine, ExitTrap, Linker, Module, Store, WasiConfig

store = Store(Engine())
config = WasiConfig()
config.argv = sys.argv[1:]
config.env = os.environ.items()
config.inherit_stdout()
config.inherit_stderr()
config.preopen_dir(".", ".")
store.set_wasi(config)
linker = Linker(store.engine)
linker.define_wasi()
program = linker.instantiate(store, Module.from_file(store.engine, sys.argv[1]))
try:
    program.exports(store)["_start"](store)
except ExitTrap as end:
    sys.exit(end.code)
