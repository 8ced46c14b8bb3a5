# ddsr's command line in a container. Not built yet where it was written: only its form was checked.
#   docker build -t ddsr .
#   docker run --rm -v "$PWD:/data" ddsr fit my.csv --target y
FROM python:3.12-slim-bookworm AS build
# hadolint ignore=DL3008 # any g++ of this release will do
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps -w /wheels .

FROM python:3.12-slim-bookworm
COPY --from=build /wheels /wheels
COPY constraints.txt /wheels/
RUN pip install --no-cache-dir -c /wheels/constraints.txt /wheels/*.whl && rm -rf /wheels \
    && useradd --create-home --uid 1000 ddsr
USER 1000
WORKDIR /data
ENTRYPOINT ["ddsr"]
CMD ["--help"]
