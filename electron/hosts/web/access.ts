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

/** A secret that nobody has used by then is worth nothing to whoever finds it in a terminal, a log or a history. */
export const secretLifeMs = 60_000;
const mostSecrets = 16;
const mostSessions = 64;
/** Wrong proofs after which every unused secret dies. */
const mostWrongProofs = 20;

/** `elapsed`: milliseconds of a clock that nobody can set back. */
export function openAccess(elapsed: () => number) {
  /** Unused secrets, oldest first. Text of 43 characters; the key of the HMAC is that text. */
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
    /** A new one-time secret, good for `secretLifeMs`. The oldest unused one is dropped when there are too many. */
    newSecret(): string {
      const text = randomBytes(32).toString('base64url');
      if (alive().length === 0) wrongProofs = 0;
      secrets = [...alive(), { text, diesAt: elapsed() + secretLifeMs }].slice(-mostSecrets);
      return text;
    },
    isUnused: (secret: string) => alive().some(({ text }) => text === secret),
    /** Uses up the secret that the page has proved; null where it has proved none that is still good. */
    open({ origin, nonce, proof }: Bootstrap): Session | null {
      const proved = alive().find(({ text }) => same(proof, hmac(text, `page ${origin} ${nonce}`)));
      if (!proved) return countWrongProof();
      secrets = secrets.filter((secret) => secret !== proved);
      return { token: newSession(), proof: hmac(proved.text, `core ${origin} ${nonce}`) };
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
