import { createHmac, randomBytes } from 'node:crypto';
import { WebSocket } from 'ws';

/** Trades a link's secret for a session, as a page of the loopback server does, but without a browser. */
export async function tradeLink(
  link: string,
  { origin, nonce = randomBytes(32).toString('hex') }: { origin?: string; nonce?: string } = {},
) {
  const url = new URL(link);
  const secret = url.hash.slice('#b='.length);
  const from = origin ?? url.origin;
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
  const response = await fetch(`${url.origin}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: from },
    body: JSON.stringify({ nonce, proof: sign(`page ${from} ${nonce}`) }),
  });
  const body = response.ok ? ((await response.json()) as { token: string; proof: string }) : null;
  const proved = body?.proof === sign(`core ${from} ${nonce}`);
  return { status: response.status, token: body?.token ?? null, proved };
}

export interface SocketClaims {
  readonly token?: string | null;
  readonly origin?: string | null;
  readonly host?: string;
  readonly path?: string;
}

/** Opens the socket. Rejects with the HTTP status if the server refuses it. */
export function openSocket(url: string, { token, origin, host, path = '/rpc' }: SocketClaims): Promise<WebSocket> {
  const address = new URL(path, url);
  address.protocol = 'ws:';
  const headers: Record<string, string> = host ? { host } : {};
  if (origin !== null) headers.origin = origin ?? new URL(url).origin;
  const socket = new WebSocket(address, token ? ['portico', token] : ['portico'], { headers });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_, response) => reject(new Error(`refused with ${response.statusCode}`)));
    socket.once('error', reject);
  });
}
