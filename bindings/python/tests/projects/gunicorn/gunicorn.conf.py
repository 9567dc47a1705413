"""Two workers, which fork after the app is loaded. Each opens an engine after the fork."""

import app

bind = "127.0.0.1:0"
preload_app = True
workers = 2


def post_fork(server, worker):
    app.open_engine()
