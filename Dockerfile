# Baoco in a container: the same command as `npm start`, node as the main process, not root.
FROM node:20.20-bookworm-slim AS dependencies
WORKDIR /baoco
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev

FROM node:20.20-bookworm-slim
ENV NODE_ENV=production BAOCO_DATA_DIR=/data
WORKDIR /baoco
COPY --from=dependencies /baoco/node_modules node_modules
COPY package.json LICENSE ./
COPY cmd cmd
COPY adapters adapters
COPY projections projections
COPY workflows workflows
COPY domain domain
# The bundle is built here, because `node` may not write to its folder.
RUN node cmd/build.mjs && mkdir /data && chown node:node /data
# The user `node` of that image, as a number, so that a cluster can verify that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT || process.env.PORT || 8080}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--min-semi-space-size=32", "--max-semi-space-size=64", "cmd/baoco.mjs", "serve"]
