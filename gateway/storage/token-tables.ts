import type { Generated } from 'kysely';

/** Someone for whom tokens are issued; acts for one account. */
export interface UserTable {
  id: string;
  account_id: string;
  name: string;
  email: string | null;
  status: 'active' | 'disabled';
  /** Unix seconds: tokens that were issued earlier are worth nothing. */
  tokens_valid_after: Generated<bigint>;
  created: bigint;
}

/** A key that tokens are signed with. What it does at a moment follows from its dates (`signing-keys.ts`). */
export interface TokenKeyTable {
  /** RFC 7638 thumbprint of the public key. */
  kid: string;
  alg: 'RS256';
  /** JSON of the public key. */
  public_jwk: string;
  /** The private key, encrypted with a key derived from the pepper. */
  sealed_key: Uint8Array;
  created: bigint;
  /** Null: the standby, published and not yet used. */
  signs_from: bigint | null;
  retires_at: bigint | null;
}

export interface RevokedTokenTable {
  jti: string;
  revoked: bigint;
  /** By then the token has expired by itself. */
  forget_after: bigint;
}

/** A secret that keys or tokens were made with, as far as a database may know it (`auth/key-secret.ts`). */
export interface KeySecretTable {
  /** 1, 2, 3 …: of two processes that note different secrets at once, one is the first. */
  place: bigint;
  /** HMAC-SHA-256(pepper, a constant text). */
  check_value: Uint8Array;
  created: bigint;
}
