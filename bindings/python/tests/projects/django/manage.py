"""A site with Django, in one file. The engine is opened by the first view that needs it."""

import sys
from functools import lru_cache

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpRequest, HttpResponse
from django.urls import path, re_path
from journey import NOW, journey

from rollbook import Engine

settings.configure(DEBUG=True, ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"])


@lru_cache(maxsize=None)
def engine() -> Engine:
    return Engine.open("school.redb", fixed_clock=NOW)


def run_journey(request: HttpRequest) -> HttpResponse:
    return HttpResponse(journey(engine()), content_type="text/plain")


def forward(request: HttpRequest) -> HttpResponse:
    """Answers as the service does."""
    method = request.method or "GET"
    answer = engine().request(request.get_full_path(), method, request.headers, request.body)
    return HttpResponse(answer.body, status=answer.status, headers=dict(answer.headers))


urlpatterns = [path("journey", run_journey), re_path("^api/", forward)]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
