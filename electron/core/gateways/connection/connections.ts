import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';

/** A billing account of a gateway: the client with its key, and the name it is stored by. */
export interface Payer {
  /** `main` or `sandbox` of the built-in gateway, or the id of an account at another one. */
  readonly id: string;
  readonly billingAccount: BillingAccount;
  /** Which gateway and wallet, such as `embedded/main` or `https://gateway.example/main`. */
  readonly source: string;
  /** What the person calls it; null: it has the name that its gateway tells. */
  readonly name: string | null;
  readonly client: GatewayClient;
  /** This installation, where others may ask with the same key. Absent: the built-in gateway, which serves no other. */
  readonly installation?: string;
}

/** Whether the providers bill its requests to the person’s own keys: the ledger then keeps their list price. */
export const isOwnKeys = (source: string): boolean => source === 'embedded/main';

/** Decides which billing account pays, whichever gateway is in use. */
export interface Connections {
  readonly mode: 'embedded' | 'remote';
  /** All wallets, used or not. */
  payers(): Promise<Payer[]>;
  billingAccount(billingAccount: BillingAccount): Promise<Payer>;
  /** Of all accounts, whichever gateway is in use: the two of the built-in one, then those elsewhere. */
  ids(): readonly string[];
  /** Throws `not_found`, or why its credential cannot be read. */
  byId(id: string): Promise<Payer>;
  /** The wallet that pays for an answer by this model. */
  payerFor(model: string): Promise<Payer>;
  /** The provider whose key of the person’s own answers with this model, through a gateway elsewhere; null: none. */
  ownKeyFor(model: string): Promise<string | null>;
  /** The wallet that paid for an earlier answer; null where that account is not kept any more. */
  bySource(source: string): Promise<Payer | null>;
}
