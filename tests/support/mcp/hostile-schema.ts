/** A tool server whose output schema has a pattern that takes a checker for ever, and a result that fits it almost. */
import { createInterface } from 'node:readline';

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

const outputSchema = { type: 'object', properties: { word: { type: 'string', pattern: '^(a+)+$' } } };
const results: Record<string, (request: Request) => object> = {
  initialize: ({ params }) => ({
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'hostile', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'word', inputSchema: { type: 'object' }, outputSchema }] }),
  'tools/call': () => ({
    content: [{ type: 'text', text: 'a word' }],
    structuredContent: { word: `${'a'.repeat(40)}!` },
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) continue;
  const result = results[request.method]?.(request);
  const answer = result ? { result } : { error: { code: -32601, message: 'There is no such method.' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer })}\n`);
}
