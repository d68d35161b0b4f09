import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { knownProviders } from '#shared/known-providers.ts';
import { Secret } from '../../gateway/access/auth/secret.ts';
import type { ProviderCredential } from '../../gateway/providers/provider.ts';
import { openTestGateway, type TestGatewayOptions } from './open-test-gateway.ts';
import { recordedResponse } from './recorded-responses.ts';
import { recordedStreams } from './recorded-streams.ts';
import { errorReply, openUpstream, streamReply } from './upstream-server.ts';

export const everyId: readonly string[] = knownProviders.map(({ id }) => id);

const listed = { data: [{ id: 'sees', capabilities: { vision: true } }] };
const streams: Readonly<Record<string, readonly string[]>> = {
  anthropic: recordedStreams.anthropic,
  google: recordedStreams.google,
};
const priced: Readonly<Record<string, string>> = {
  openai: 'openai/gpt-5.4-mini',
  anthropic: 'anthropic/claude-sonnet-4-5',
  google: 'google/gemini-2.5-flash',
};

/** Returns a model of this provider that accepts images. */
export const getModel = (id: string): string => priced[id] ?? `${id}/sees`;

/** Opens one server that plays every provider, each below its own path, as a self-hosted server. */
export async function openOwnServers() {
  const upstream = await openUpstream((call, response) => {
    if (call.method === 'GET') return errorReply(200, listed)(call, response);
    const [, id = ''] = call.path.split('/');
    const own = call.path.endsWith('/responses') ? recordedResponse : streams[id];
    return streamReply((own ?? recordedStreams.openai).join(''))(call, response);
  });
  onTestFinished(upstream.close);
  const credentials = (more: Partial<ProviderCredential> = {}) =>
    Object.fromEntries(
      everyId.map((id) => [id, { apiKey: new Secret('platform-key'), baseUrl: `${upstream.origin}/${id}`, ...more }]),
    );
  return {
    origin: upstream.origin,
    credentials,
    /** Returns the bodies that were sent to any of them, as text. */
    sent: () => upstream.calls.filter(({ method }) => method === 'POST').map(({ body }) => JSON.stringify(body)),
    /** Opens a gateway in front of them that knows the models of each. */
    async gateway(options: TestGatewayOptions = {}) {
      const opened = await openTestGateway({ plan: 'local', providers: credentials(), ...options });
      const lists = async () => {
        const { data } = (await (await opened.call('/v1/models')).json()) as { data: { id: string }[] };
        return data.filter(({ id }) => id.endsWith('/sees')).length;
      };
      await expect.poll(lists).toBe(everyId.length - Object.keys(priced).length);
      return opened;
    },
  };
}

/** Opens a server on this machine that nobody may call, and counts the connections to it. */
export async function openCanary() {
  const canary = { port: 0, connects: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    canary.connects += 1;
    sockets.add(socket.on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  if (address !== null && typeof address === 'object') canary.port = address.port;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return canary;
}

export const image = (url: string) => ({ type: 'image_url', image_url: { url } });

export const completion = (model: string, ...urls: string[]) => ({
  model,
  max_tokens: 10,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, ...urls.map(image)] }],
});

export const prompt = (model: string, ...urls: string[]) => ({
  model,
  max_tokens: 10,
  prompt: 'Look.',
  files: urls.map(image),
});
