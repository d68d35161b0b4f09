import type { Generated } from 'kysely';

/** A user that tokens are issued for. Acts for one account. */
export interface UserTable {
  id: string;
  account_id: string;
  name: string;
  email: string | null;
  status: 'active' | 'disabled';
  /** Unix seconds. Tokens that were issued before are invalid. */
  tokens_valid_after: Generated<bigint>;
  created: bigint;
}

/** A key that signs tokens. Its dates determine what it does at a given moment (`signing-keys.ts`). */
export interface TokenKeyTable {
  /** RFC 7638 thumbprint of the public key. */
  kid: string;
  alg: 'RS256';
  /** JSON of the public key. */
  public_jwk: string;
  /** The private key, encrypted with a key derived from the pepper. */
  sealed_key: Uint8Array;
  created: bigint;
  /** Null for the standby key, which is published but not used yet. */
  signs_from: bigint | null;
  retires_at: bigint | null;
}

export interface RevokedTokenTable {
  jti: string;
  revoked: bigint;
  /** The token has expired by then anyway. */
  forget_after: bigint;
}

/** A secret that keys or tokens were made with, as far as the database may know it (`auth/key-secret.ts`). */
export interface KeySecretTable {
  /** 1, 2, 3 …: when two processes record different secrets at once, only one can take a number. */
  place: bigint;
  /** HMAC-SHA-256(pepper, a constant text). */
  check_value: Uint8Array;
  created: bigint;
}
