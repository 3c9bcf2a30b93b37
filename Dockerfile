# The service, and with it the PostgreSQL that it runs by itself when no DATABASE_URL is given.

FROM python:3.13-slim AS build
WORKDIR /build
RUN python -m venv /venv
COPY requirements.lock ./
RUN /venv/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY domain domain
COPY service service
COPY migrations migrations
COPY openapi openapi
COPY docs docs
COPY examples examples
COPY verify verify
RUN /venv/bin/pip install --no-cache-dir --no-deps --no-index --no-build-isolation .

FROM python:3.13-slim
RUN useradd --uid 10001 --create-home --home-dir /data ludicitude
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH \
    HOST=0.0.0.0 \
    PORT=8000 \
    LUDICITUDE_DATA=/data \
    LUDICITUDE_LOG_FORMAT=json
USER 10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f\"http://127.0.0.1:{os.environ['PORT']}/v1/live\", timeout=2)"]
ENTRYPOINT ["ludicitude"]
CMD ["serve"]
