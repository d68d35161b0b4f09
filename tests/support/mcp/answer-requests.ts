import { createInterface } from 'node:readline';

export interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly cursor?: string; readonly name?: string };
}

/** What each method returns. */
export type Results = Readonly<Record<string, (request: Request) => object>>;

/** Serves tools over standard input and output without the SDK, which would reject what a hostile server sends. */
export async function answerRequests(name: string, given: Results): Promise<void> {
  const results: Results = {
    initialize: ({ params }) => ({
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name, version: '1.0.0' },
    }),
    ...given,
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line) as Request;
    if (request.id === undefined) continue;
    const result = results[request.method]?.(request);
    const answer = result ? { result } : { error: { code: -32601, message: 'There is no such method.' } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer })}\n`);
  }
}
