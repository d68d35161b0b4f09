import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Who may reach the core over loopback (security page, rules 13–16). A one-time secret from the terminal becomes a
 * session. The page proves that it knows the secret without sending it, and the server proves itself back the same
 * way; both proofs name the origin, so that a program that squats on another port can neither relay nor replay them.
 */

export interface Bootstrap {
  readonly origin: string;
  readonly nonce: string;
  /** HMAC-SHA-256 of `page <origin> <nonce>` under the secret, hex. */
  readonly proof: string;
}

export interface Session {
  readonly token: string;
  /** HMAC-SHA-256 of `core <origin> <nonce>` under the same secret, hex. */
  readonly proof: string;
}

const mostSecrets = 16;
const mostSessions = 64;

export function openAccess() {
  /** Unused secrets, oldest first. Text of 43 characters; the key of the HMAC is that text. */
  const secrets: string[] = [];
  const sessions = new Set<string>();

  return {
    /** A new one-time secret. The oldest unused one is dropped when there are too many. */
    newSecret(): string {
      const secret = randomBytes(32).toString('base64url');
      secrets.push(secret);
      if (secrets.length > mostSecrets) secrets.shift();
      return secret;
    },
    isUnused: (secret: string) => secrets.includes(secret),
    /** Uses up the secret that the page has proved; null where it has proved none. */
    open({ origin, nonce, proof }: Bootstrap): Session | null {
      const index = secrets.findIndex((secret) => same(proof, hmac(secret, `page ${origin} ${nonce}`)));
      const [secret] = index < 0 ? [] : secrets.splice(index, 1);
      if (secret === undefined) return null;
      const token = randomBytes(32).toString('base64url');
      sessions.add(digest(token));
      const [oldest] = sessions;
      if (sessions.size > mostSessions && oldest !== undefined) sessions.delete(oldest);
      return { token, proof: hmac(secret, `core ${origin} ${nonce}`) };
    },
    /** Looked up by digest: how long it takes says nothing about the token. */
    isSession: (token: string) => sessions.has(digest(token)),
  };
}

export type Access = ReturnType<typeof openAccess>;

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const same = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)));
