import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';

/** A billing account of a gateway: the client with its key, and the name it is stored by. */
export interface Payer {
  readonly wallet: Wallet;
  /** Which gateway and wallet, such as `embedded/main` or `https://gateway.example/main`. */
  readonly source: string;
  readonly client: GatewayClient;
}

/** Decides which billing account pays, whichever gateway is in use. */
export interface Connections {
  readonly mode: 'embedded' | 'remote';
  /** All wallets, used or not. */
  payers(): Promise<Payer[]>;
  wallet(wallet: Wallet): Promise<Payer>;
  /** The wallet that pays for an answer by this model. */
  payerFor(model: string): Promise<Payer>;
  /** The wallet that paid for an earlier answer; null where that gateway is no longer in use. */
  bySource(source: string): Promise<Payer | null>;
}
