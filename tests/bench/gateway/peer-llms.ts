import { createRequire } from 'node:module';

/**
 * Starts `@musistudio/llms`, which is a library, as a server without logs in front of one OpenAI-compatible upstream.
 */
const [module = '', port, upstream] = process.argv.slice(2);

interface Peer {
  default: new (options: object) => { start(): Promise<void> };
}

// Its ESM build doesn't start in Node 24.
const { default: Server } = createRequire(import.meta.url)(module) as Peer;
const bench = {
  name: 'bench',
  api_base_url: `${upstream}/v1/chat/completions`,
  api_key: 'sk-bench-upstream-key',
  models: ['gpt-4o-mini'],
};
await new Server({ logger: false, initialConfig: { HOST: '127.0.0.1', PORT: port, providers: [bench] } }).start();
