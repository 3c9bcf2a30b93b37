"""Single statements on a connection of their own, for tests that are not asynchronous."""

import asyncio

import asyncpg


def execute(url: str, statement: str) -> None:
    async def connect_and_execute() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(statement)
        await connection.close()

    asyncio.run(connect_and_execute())


def ask(url: str, question: str) -> object:
    async def connect_and_ask() -> object:
        connection = await asyncpg.connect(url)
        answer: object = await connection.fetchval(question)
        await connection.close()
        return answer

    return asyncio.run(connect_and_ask())
