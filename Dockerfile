# Baoco in a container: the same command as `npm start`, node as the main process, not root. It runs with a read-only root.
FROM node:24.21-bookworm-slim AS dependencies
WORKDIR /baoco
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev

FROM node:24.21-bookworm-slim
# glibc then gives freed memory back at once. Otherwise a large buffer at the start would make it keep up to 64 MB.
ENV NODE_ENV=production BAOCO_DATA_DIR=/data MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /baoco
COPY --from=dependencies /baoco/node_modules node_modules
COPY package.json LICENSE ./
COPY cmd cmd
COPY adapters adapters
COPY projections projections
COPY workflows workflows
COPY domain domain
COPY web web
# The bundle is built here, because `node` may not write to its folder. V8 takes its compiled code only with the same options: those of `serve`
# below, and those of the roles in docker-compose.yml.
RUN node --expose-gc --no-flush-bytecode --min-semi-space-size=4 --max-semi-space-size=32 cmd/build.mjs \
 && node --max-old-space-size=640 --expose-gc --no-flush-bytecode --min-semi-space-size=4 --max-semi-space-size=32 cmd/build.mjs \
 && mkdir /data && chown node:node /data
# The user `node` of that image, as a number, so that a cluster can verify that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["bash", "cmd/ready.sh"]
CMD ["node", "--expose-gc", "--no-flush-bytecode", "--min-semi-space-size=4", "--max-semi-space-size=32", "cmd/baoco.mjs", "serve"]
