"""A server with FastAPI. The lifespan opens the engine and closes it."""

from contextlib import asynccontextmanager
from typing import AsyncIterator

from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse, StreamingResponse
from journey import ABSENTEES, NOW, async_journey

from rollbook import AsyncEngine


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with await AsyncEngine.open("school.redb", fixed_clock=NOW) as engine:
        app.state.engine = engine
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/journey", response_class=PlainTextResponse)
async def run_journey() -> str:
    return await async_journey(app.state.engine)


@app.get("/api/{rest:path}")
async def forward(request: Request) -> Response:
    """Answers as the service does."""
    target = f"{request.url.path}?{request.url.query}"
    answer = await app.state.engine.request(target, headers=request.headers.items())
    return Response(answer.body, answer.status, dict(answer.headers))


@app.get("/changes")
async def changes() -> StreamingResponse:
    """Sends the number of absences now, and again whenever they change."""

    async def counts() -> AsyncIterator[str]:
        async for answer in app.state.engine.observe(ABSENTEES):
            yield f"{len(answer.json())}\n"

    return StreamingResponse(counts())
