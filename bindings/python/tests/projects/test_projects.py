"""The package in projects of popular tools. Each test is a row of the table in the README."""

import urllib.request
from contextlib import ExitStack

from project import Project

HEADERS = {"HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"}
LEARNERS = "/api/v1/adminplus/learners/1000?name=zo%C3%AB"

FIRST = "opens answers observes"
AGAIN = "opens persists answers observes"
"""The results of a journey with a new store, and with one that an earlier journey filled."""


def get(url: str) -> str:
    """Returns the body of an answer."""
    request = urllib.request.Request(url, headers=HEADERS)
    with urllib.request.urlopen(request, timeout=60) as answer:
        body: bytes = answer.read()
    return body.decode()


def test_fastapi() -> None:
    project = Project("fastapi")
    server = ("uvicorn", "app:app", "--port", "0", "--timeout-graceful-shutdown", "1")
    with project.serve(*server) as url:
        assert get(url + "/journey") == FIRST
        assert '"first_name":"Zoë"' in get(url + LEARNERS)
        with urllib.request.urlopen(url + "/changes", timeout=60) as changes:
            before = int(changes.readline())
            assert get(url + "/journey") == AGAIN
            assert int(changes.readline()) == before + 1
    with ExitStack() as clients:
        with project.serve(*server) as url:
            assert get(url + "/journey") == AGAIN
            # The server also ends if a client still waits for changes.
            changes = clients.enter_context(urllib.request.urlopen(url + "/changes", timeout=60))
            assert int(changes.readline()) == before + 2


def test_django() -> None:
    project = Project("django")
    # The reloader sets up the site in two processes, of which only one may open the store.
    for options in (["--noreload"], []):
        server = ("python", "manage.py", "runserver", "127.0.0.1:0", *options)
        for expected in (FIRST, AGAIN):
            with project.serve(*server) as url:
                assert get(url + "/journey") == expected
                assert '"first_name":"Zoë"' in get(url + LEARNERS)
                assert get(url + "/journey") == AGAIN
        (project.folder / "school.redb").unlink()


def test_gunicorn() -> None:
    project = Project("gunicorn")
    with project.serve("gunicorn", "app") as url:
        # An engine of the parent answers, and otherwise fails with an explanation.
        assert get(url + "/inherited") == "200 unsupported unsupported already_open done"
        found: "dict[str, str]" = {}
        while len(found) < 2:
            worker, _, steps = get(url + "/journey").partition(" ")
            assert steps == (AGAIN if worker in found else FIRST)
            found[worker] = steps
    # A file is opened by one process, so that its threads answer.
    one = ("gunicorn", "--workers", "1", "--threads", "4", "app")
    for expected in (FIRST, AGAIN):
        with project.serve(*one, STORE="school.redb") as url:
            assert get(url + "/journey").partition(" ")[2] == expected


def test_xdist() -> None:
    project = Project("xdist")
    ran = project.run_silently("pytest", "-q", "-n", "2")
    assert "21 passed" in ran


def test_jupyter() -> None:
    project = Project("jupyter")
    for expected in (FIRST, AGAIN):
        assert project.run("python", "program.py").splitlines() == [expected, FIRST]


def test_pyinstaller() -> None:
    project = Project("pyinstaller")
    for form, path in (("onedir", "program/program"), ("onefile", "program")):
        project.run("pyinstaller", "--log-level", "WARN", f"--{form}", "--distpath", form, "program.py")
        for expected in (FIRST, AGAIN):
            program = str(project.folder / form / path)
            ran = project.run_silently(program, f"{form}.redb", "sample-school.ndjson")
            assert ran == expected
