import type { Plugin } from 'vite';

const id = '\0node-http';

/**
 * Makes `import` of `node:http` return the same object as `require`. When a built-in module is imported, Node reads all
 * its properties, including lazy ones. One is `WebSocket`, for which Node loads all its web APIs: 40 ms of processor
 * time at each start (docs/decisions/100-one-undici.md).
 */
export function nodeHttp(): Plugin {
  return {
    name: 'node-http',
    enforce: 'pre',
    resolveId: (source) => (source === 'node:http' || source === 'http' ? id : null),
    load: (source) => (source === id ? 'module.exports = process.getBuiltinModule("node:http");' : null),
  };
}
