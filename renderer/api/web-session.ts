const storageKey = 'portico:session';

/**
 * Storage key of the secret and its nonce until the server answers. A page that is reloaded meanwhile repeats the
 * request.
 */
const pendingKey = 'portico:link';

/**
 * Returns the token of this tab's session with the loopback server. The first time, the token is exchanged for the
 * one-time secret in the address. Page and server prove to each other that they know the secret, which is never sent
 * itself (security page, rules 13–15).
 */
export async function openSession(): Promise<string> {
  const secret = offered ?? takeSecret();
  offered = null;
  if (secret) sessionStorage.setItem(pendingKey, `${secret} ${hex(crypto.getRandomValues(new Uint8Array(32)))}`);
  const [pending, nonce] = sessionStorage.getItem(pendingKey)?.split(' ') ?? [];
  const answer = pending && nonce ? await tradeSecret(pending, nonce) : null;
  sessionStorage.removeItem(pendingKey);
  if (answer?.proven === false) throw new Error('The server at this address is not the Portico that printed the link.');
  const token = answer?.token ?? null;
  if (token) sessionStorage.setItem(storageKey, token);
  return token ?? sessionStorage.getItem(storageKey) ?? leave();
}

/** The secret of a new link that the user opened in this tab while the page was running. */
let offered: string | null = null;

/** Waits until a link with a secret is opened in this tab, then restores the address that was shown before. */
export function newSecret(): Promise<void> {
  return new Promise((resolve) => {
    const onHashChange = ({ oldURL }: HashChangeEvent) => {
      const secret = secretIn(location.hash);
      if (secret === null) return;
      offered = secret;
      history.replaceState(history.state, '', oldURL);
      removeEventListener('hashchange', onHashChange);
      resolve();
    };
    addEventListener('hashchange', onHashChange);
  });
}

const secretIn = (hash: string): string | null => /^#b=([\w-]{43})$/.exec(hash)?.[1] ?? null;

/** Reads the secret from the address and removes it there, to keep it out of the history and of screenshots. */
function takeSecret(): string | null {
  const secret = secretIn(location.hash);
  if (secret) history.replaceState(null, '', location.pathname);
  return secret;
}

interface Answer {
  /** Null if the server rejects the secret, or could not prove that it knows it. */
  readonly token: string | null;
  /** False if the server sent a token but could not prove that it knows the secret. */
  readonly proven: boolean;
}

/** Exchanges the secret for a token. Throws if the server doesn't answer; the exchange can then be repeated. */
async function tradeSecret(secret: string, nonce: string): Promise<Answer> {
  const prove = await proverFor(secret);
  const response = await fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nonce, proof: await prove(`page ${location.origin} ${nonce}`) }),
  });
  if (!response.ok) return { token: null, proven: true };
  const session: unknown = await response.json();
  const proven = isSession(session) && session.proof === (await prove(`core ${location.origin} ${nonce}`));
  return { token: proven ? session.token : null, proven };
}

function isSession(value: unknown): value is { token: string; proof: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'token' in value &&
    'proof' in value &&
    typeof value.token === 'string'
  );
}

/** Returns a function that signs a text with HMAC-SHA-256 under the secret, as hex. */
async function proverFor(secret: string): Promise<(text: string) => Promise<string>> {
  const utf8 = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, ['sign']);
  return async (text) => hex(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text))));
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Navigates to the page that explains how to connect. Never resolves: this page is about to be unloaded. */
function leave(): Promise<never> {
  location.replace('/connect');
  return new Promise(() => {});
}
