import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Stands in front of a gateway and forwards everything except answers to chats: it reads them to their end and keeps
 * them. So the gateway has accepted, answered and billed a request whose client knows nothing of the answer.
 */
export async function openHoldingProxy(target: string) {
  let swallowed: (text: string) => void = () => {};
  const answer = new Promise<string>((resolve) => {
    swallowed = resolve;
  });

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answered = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length ? { body: Buffer.concat(chunks) } : {}),
    });
    const text = await answered.text();
    if (request.url === '/v1/chat/completions') return swallowed(text);
    response.writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? 'text/plain' });
    response.end(text);
  }

  const server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The first answer to a chat, once the gateway has ended it. */
    answer,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
