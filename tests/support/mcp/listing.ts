/**
 * A tool server whose list is as large as its arguments say: tools, fields of each, and whether each page names a next one.
 */
import { createInterface } from 'node:readline';

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly cursor?: string };
}

const [tools = 1, fields = 1] = process.argv.slice(2).map(Number);
const isEndless = process.argv.includes('endless');

const field = { type: 'string', description: 'What the person wrote, in the words of the person' };
const inputSchema = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: fields }, (_, index) => [`field_${index}`, field])),
};

const results: Record<string, (request: Request) => object> = {
  initialize: ({ params }) => ({
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'listing', version: '1.0.0' },
  }),
  'tools/list': ({ params }) => {
    const page = Number(params?.cursor ?? 0);
    const listed = Array.from({ length: tools }, (_, index) => ({ name: `tool_${page}_${index}`, inputSchema }));
    return { tools: listed, ...(isEndless ? { nextCursor: String(page + 1) } : {}) };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) continue;
  const result = results[request.method]?.(request);
  const answer = result ? { result } : { error: { code: -32601, message: 'There is no such method.' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer })}\n`);
}
