"""Adds the native library and the OpenAPI documents. PyInstaller only finds modules by itself."""

from PyInstaller.utils.hooks import collect_data_files, collect_dynamic_libs

binaries = collect_dynamic_libs("rollbook")
datas = collect_data_files("rollbook")
