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

interface Secret {
  /** 43 characters, which are also the HMAC key. */
  readonly text: string;
  readonly diesAt: number;
  /** The page that proved it first, whose answer may have been lost. */
  readonly taken?: { readonly nonce: string; readonly session: string };
}

/** Lifetime of a secret, which might be found later in a terminal, a log or a history. */
export const secretLifeMs = 60_000;
const maxSecrets = 16;
const maxSessions = 64;
/** Wrong proofs after which all unused secrets are revoked. */
const maxWrongProofs = 20;

/** `elapsed`: a monotonic clock in milliseconds. */
export function openAccess(elapsed: () => number) {
  /** Those whose session was not used yet, oldest first. */
  let secrets: readonly Secret[] = [];
  const sessions = new Set<string>();
  let wrongProofs = 0;

  const alive = () => {
    secrets = secrets.filter(({ diesAt }) => elapsed() < diesAt);
    return secrets;
  };

  function countWrongProof(): null {
    wrongProofs++;
    if (wrongProofs >= maxWrongProofs) secrets = [];
    return null;
  }

  function addSession(session: string): void {
    sessions.add(session);
    const [oldest] = sessions;
    if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
  }

  return {
    /** Creates a one-time secret, valid for `secretLifeMs`. Drops the oldest unused one if there are too many. */
    newSecret(): string {
      const text = randomBytes(32).toString('base64url');
      if (alive().length === 0) wrongProofs = 0;
      secrets = [...alive(), { text, diesAt: elapsed() + secretLifeMs }].slice(-maxSecrets);
      return text;
    },
    isUnused: (secret: string) => alive().some(({ text, taken }) => text === secret && !taken),
    /**
     * The session of a page that proved a secret; null without a valid proof. A page that was reloaded before the answer
     * reached it asks with the same nonce, and gets the same session: a secret serves one nonce.
     */
    open({ origin, nonce, proof }: Bootstrap): Session | null {
      const proved = alive().find(
        ({ text, taken }) => (taken?.nonce ?? nonce) === nonce && same(proof, hmac(text, `page ${origin} ${nonce}`)),
      );
      if (!proved) return countWrongProof();
      const token = hmac(proved.text, `session ${origin} ${nonce}`, 'base64url');
      if (!proved.taken) {
        const session = digest(token);
        addSession(session);
        secrets = secrets.map((secret) => (secret === proved ? { ...secret, taken: { nonce, session } } : secret));
      }
      return { token, proof: hmac(proved.text, `core ${origin} ${nonce}`) };
    },
    /**
     * Whether a session has this token. Its secret is revoked then: the answer has reached the page. Looked up by digest, so
     * that timing reveals nothing about the token.
     */
    admit(token: string): boolean {
      const session = digest(token);
      secrets = secrets.filter(({ taken }) => taken?.session !== session);
      return sessions.has(session);
    },
  };
}

export type Access = ReturnType<typeof openAccess>;

const hmac = (secret: string, text: string, encoding: 'hex' | 'base64url' = 'hex') =>
  createHmac('sha256', secret).update(text).digest(encoding);
const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const same = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)));
