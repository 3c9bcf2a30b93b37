"""The compiler of Kotlin and the libraries of its generated clients, out of packages that hold them for purposes of their own.

Compiler, serialization and standard library are in Kotlin's kernel for Jupyter, the library for HTTP is in a reporter of tests: the
registries of Python and of Node have them under no name of their own.
"""

import os
from importlib.resources import files
from pathlib import Path

from tests.sdk.conftest import run
from tests.sdk.guide import ROOT

KERNEL = Path(str(files("run_kotlin_kernel"))) / "jars"
REPORTER = ROOT / "tools" / "node_modules" / "allure-commandline" / "dist" / "plugins" / "jira-plugin" / "lib"

PLUGINS = "META-INF/services/org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar"
SERIALIZATION = "org.jetbrains.kotlinx.serialization.compiler.extensions.SerializationComponentRegistrar"
"""The plugin that makes the serializers; the kernel's archive holds it and does not announce it."""


def libraries() -> str:
    """The class path of what a generated client uses."""
    serialization = _jars(KERNEL, "kotlin-stdlib", "kotlinx-serialization-core-jvm", "kotlinx-serialization-json-jvm")
    return os.pathsep.join([*serialization, *_jars(REPORTER, "okhttp-jvm", "okio-jvm")])


def compiled(folder: Path, program: Path) -> Path:
    """This folder, after the whole client in it and a program that uses it have been compiled into `out`."""
    announcement = folder / "plugin" / PLUGINS
    announcement.parent.mkdir(parents=True)
    announcement.write_text(SERIALIZATION, "utf-8")
    compiler = _jars(KERNEL, "kotlin-jupyter-kernel", "kotlin-stdlib", "kotlin-reflect", "kotlin-script-runtime", "annotations")
    how = ["-no-stdlib", "-no-reflect", "-Xdisable-default-scripting-plugin", "-Xplugin=plugin", "-cp", libraries(), "-d", "out"]
    kotlin = ["java", "-Xmx2g", "-cp", os.pathsep.join(compiler), "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", *how]
    run(folder, *kotlin, "ludicitude/src/main", str(program))
    return folder


def _jars(folder: Path, *names: str) -> list[str]:
    found = [path for name in names for path in sorted(folder.glob(f"{name}-[0-9]*.jar"))]
    assert len(found) == len(names), f"{folder} has {[path.name for path in found]} of {names}"
    return [str(path) for path in found]
