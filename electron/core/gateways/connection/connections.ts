import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';

/** Access to a billing account: a client with its key, and the name that stored data uses for it. */
export interface Payer {
  /** `main` or `sandbox` of the built-in gateway, or the id of an account at another one. */
  readonly id: string;
  readonly billingAccount: BillingAccount;
  /** The gateway and account, such as `embedded/main` or `https://gateway.example/main`. */
  readonly source: string;
  /** The name that the person gave it. Null: it has the name that its gateway reports. */
  readonly name: string | null;
  readonly client: GatewayClient;
  /**
   * The id of this installation, for a gateway where other computers may use the same key. Absent for the built-in
   * gateway.
   */
  readonly installation?: string;
}

/** True if providers bill this account's requests to the person’s own keys. The ledger then contains list prices. */
export const isOwnKeys = (source: string): boolean => source === 'embedded/main';

/** Decides which billing account pays, for whichever gateway is in use. */
export interface Connections {
  readonly mode: 'embedded' | 'remote';
  /** All billing accounts of the gateway in use, even if they were never used. */
  payers(): Promise<Payer[]>;
  billingAccount(billingAccount: BillingAccount): Promise<Payer>;
  /** Ids of all accounts, whichever gateway is in use: the two of the built-in one first, then the remote ones. */
  ids(): readonly string[];
  /** Throws `not_found`, or the reason why the credential can't be read. */
  byId(id: string): Promise<Payer>;
  /** The billing account that pays for an answer by this model. */
  payerFor(model: string): Promise<Payer>;
  /** The provider whose own key is sent through a remote gateway for this model. Null: no own key is sent. */
  ownKeyFor(model: string): Promise<string | null>;
  /** The billing account that paid for an earlier answer. Null if that account was removed. */
  bySource(source: string): Promise<Payer | null>;
}
