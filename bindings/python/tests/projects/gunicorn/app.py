"""An app for gunicorn. `STORE` is the file of the store, which is in memory otherwise."""

import os

from journey import ABSENTEES, NOW, SAMPLE, journey

from rollbook import Engine, RollbookError

opened_before_the_fork = Engine.open("inherited.redb", fixed_clock=NOW)
opened_before_the_fork.apply(SAMPLE)
engine = None


def open_engine():
    global engine
    store = os.environ.get("STORE")
    engine = Engine.open(store, fixed_clock=NOW) if store else Engine.memory(fixed_clock=NOW)


def inherited():
    """Returns the results of an engine that the worker has from its parent."""
    calls = [
        lambda: opened_before_the_fork.ask(ABSENTEES),
        lambda: opened_before_the_fork.apply(""),
        lambda: next(opened_before_the_fork.observe(ABSENTEES)),
        lambda: Engine.open("inherited.redb"),
        opened_before_the_fork.close,
    ]
    return " ".join(map(outcome, calls))


def outcome(call):
    try:
        return str(getattr(call(), "status", "done"))
    except RollbookError as error:
        return error.code


ROUTES = {"/journey": lambda: f"{os.getpid()} {journey(engine)}", "/inherited": inherited}


def application(environ, start_response):
    text = ROUTES[environ["PATH_INFO"]]()
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [text.encode()]
