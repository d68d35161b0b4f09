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

/** Lifetime of an unused secret, which might be found later in a terminal, a log or a history. */
export const secretLifeMs = 60_000;
const mostSecrets = 16;
const mostSessions = 64;
/** Wrong proofs after which all unused secrets are revoked. */
const mostWrongProofs = 20;

/** `elapsed`: a monotonic clock in milliseconds. */
export function openAccess(elapsed: () => number) {
  /** Unused secrets, oldest first. Text of 43 characters, which is also the HMAC key. */
  let secrets: { readonly text: string; readonly diesAt: number }[] = [];
  const sessions = new Set<string>();
  let wrongProofs = 0;

  const alive = () => {
    secrets = secrets.filter(({ diesAt }) => elapsed() < diesAt);
    return secrets;
  };

  function countWrongProof(): null {
    wrongProofs++;
    if (wrongProofs >= mostWrongProofs) secrets = [];
    return null;
  }

  function newSession(): string {
    const token = randomBytes(32).toString('base64url');
    sessions.add(digest(token));
    const [oldest] = sessions;
    if (sessions.size > mostSessions && oldest !== undefined) sessions.delete(oldest);
    return token;
  }

  return {
    /** Creates a one-time secret, valid for `secretLifeMs`. Drops the oldest unused one if there are too many. */
    newSecret(): string {
      const text = randomBytes(32).toString('base64url');
      if (alive().length === 0) wrongProofs = 0;
      secrets = [...alive(), { text, diesAt: elapsed() + secretLifeMs }].slice(-mostSecrets);
      return text;
    },
    isUnused: (secret: string) => alive().some(({ text }) => text === secret),
    /** Consumes the secret that the page has proved; null without a valid proof. */
    open({ origin, nonce, proof }: Bootstrap): Session | null {
      const proved = alive().find(({ text }) => same(proof, hmac(text, `page ${origin} ${nonce}`)));
      if (!proved) return countWrongProof();
      secrets = secrets.filter((secret) => secret !== proved);
      return { token: newSession(), proof: hmac(proved.text, `core ${origin} ${nonce}`) };
    },
    /** Looked up by digest, so that timing reveals nothing about the token. */
    isSession: (token: string) => sessions.has(digest(token)),
  };
}

export type Access = ReturnType<typeof openAccess>;

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const same = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)));
