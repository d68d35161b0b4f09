import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';

/** A gateway account that can pay: the client that holds its key, and the name it is remembered by. */
export interface Payer {
  readonly wallet: Wallet;
  /** Which gateway and wallet, such as `embedded/main` or `https://gateway.example/main`. */
  readonly source: string;
  readonly client: GatewayClient;
}

/** Who pays for what, whichever gateway is in use. */
export interface Connections {
  readonly mode: 'embedded' | 'remote';
  /** The wallets there are, whether they mean anything to the user yet or not. */
  payers(): Promise<Payer[]>;
  wallet(wallet: Wallet): Promise<Payer>;
  /** The wallet that pays for an answer by this model. */
  payerFor(model: string): Promise<Payer>;
  /** The wallet that paid for an earlier answer; null where that gateway is no longer in use. */
  bySource(source: string): Promise<Payer | null>;
}
