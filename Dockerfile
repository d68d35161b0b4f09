# The stand-alone gateway. Build: docker build -t portico-gateway .
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json vite.config.ts ./
COPY scripts/asset-licenses.ts scripts/compressed-assets.ts scripts/diagram-assets.ts scripts/first-chunk.ts scripts/icons-by-file.ts scripts/locked-packages.ts scripts/node-http.ts scripts/
COPY shared shared
COPY gateway gateway
RUN PORTICO_BUILD=gateway node_modules/.bin/vite build --app

FROM node:24-bookworm-slim AS modules
WORKDIR /modules
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /portico
COPY package.json ./
COPY --from=modules /modules/node_modules node_modules
COPY --from=build /build/dist/gateway dist/gateway
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
ENV PORTICO_DB=/data/portico-gateway.db
EXPOSE 8788
HEALTHCHECK --interval=5s --timeout=4s --start-period=20s --retries=3 CMD ["node", "-e", "fetch('http://127.0.0.1:8788/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node as process 1 gets SIGTERM itself, and drains.
ENTRYPOINT ["node", "dist/gateway/cli.js"]
CMD ["serve", "--host", "0.0.0.0", "--log-requests"]
