import type { HoldRequest, Ledger } from '../../gateway/ledger/ledger.ts';

/** Makes a hold and waits until it's on the disk. */
export async function holdDurably(ledger: Ledger, request: HoldRequest): Promise<void> {
  const held = await ledger.decide(request);
  await held.durable;
}
