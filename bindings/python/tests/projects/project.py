"""Creates projects in which the package is installed as users install it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Dict, Iterator

from material import SAMPLE_SCHOOL

HERE = Path(__file__).parent
WHEEL = os.environ.get("ROLLBOOK_WHEEL", "")
FOLDER = Path(os.environ.get("ROLLBOOK_PROJECTS", "projects"))
SECONDS = 60
"""How long a server may take to start, and to end."""


class Project:
    """A copy of a folder of this one, with a virtual environment of its own."""

    def __init__(self, name: str) -> None:
        self.folder = FOLDER / name
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(HERE / name, self.folder)
        for file in (HERE / "journey.py", SAMPLE_SCHOOL):
            shutil.copy(file, self.folder)
        environment = self.folder / ".venv"
        self._programs = environment / "bin"
        self.environment: Dict[str, str] = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.environment["PATH"] = f"{self._programs}{os.pathsep}{os.environ['PATH']}"
        # The pip that runs the tests saves the time to install another one.
        self.run(sys.executable, "-m", "venv", "--without-pip", str(environment))
        pip = [sys.executable, "-m", "pip", "--python", str(self._programs / "python"), "install"]
        quiet = ["--quiet", "--disable-pip-version-check", "--root-user-action", "ignore"]
        self.run(*pip, *quiet, WHEEL, "--requirement", "requirements.txt")

    def run(self, program: str, *given: str) -> str:
        """Runs a program of the project, which must succeed. Returns its output."""
        return self._run(program, *given).stdout.strip()

    def run_silently(self, program: str, *given: str) -> str:
        """Does the same with a program that must not write warnings."""
        ran = self._run(program, *given)
        assert ran.stderr == ""
        return ran.stdout.strip()

    @contextmanager
    def serve(self, program: str, *given: str, **environment: str) -> Iterator[str]:
        """Runs a server of the project, and yields its address. It must end when it is asked to,
        and must not log an error that the package raised."""
        log = self.folder / "server.log"
        with log.open("w") as output:
            server = subprocess.Popen(
                [self._found(program), *given],
                cwd=self.folder,
                env={**self.environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        try:
            yield _address(server, log)
            os.killpg(server.pid, signal.SIGINT)
            server.wait(SECONDS)
        except BaseException:
            print(log.read_text())
            raise
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()
        assert "site-packages/rollbook" not in log.read_text(), log.read_text()

    def _run(self, program: str, *given: str) -> "subprocess.CompletedProcess[str]":
        ran = subprocess.run(
            [self._found(program), *given],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert ran.returncode == 0, f"{program} {given}\n{ran.stdout}\n{ran.stderr}"
        return ran

    def _found(self, program: str) -> str:
        """Returns the path of a program of the environment, or of another one."""
        return shutil.which(program, path=str(self._programs)) or program


def _address(server: "subprocess.Popen[Any]", log: Path) -> str:
    """Waits until a server has logged its address."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and server.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:[1-9]\d*", log.read_text())
        if found:
            return found[0]
        time.sleep(0.05)
    raise AssertionError("the server did not start")
