import type { Plugin } from 'vite';

const id = '\0node-http';

/**
 * `node:http` as `require` gives it, also to what imports it. A module of Node that is imported is read property by property, those that
 * are made when they are read as well: `WebSocket` among them, by which Node loads all that it has of the web, 40 ms of processor time
 * at each start (docs/decisions/100-one-undici.md).
 */
export function nodeHttp(): Plugin {
  return {
    name: 'node-http',
    enforce: 'pre',
    resolveId: (source) => (source === 'node:http' || source === 'http' ? id : null),
    load: (source) => (source === id ? 'module.exports = process.getBuiltinModule("node:http");' : null),
  };
}
