import type { OtherAmount as Amount } from '#shared/client/reported.ts';
import { otherAmount } from '../../text/format.ts';
import { text } from '../../text/ui-text.ts';

/** An amount of a gateway that counts in another currency or in credits, in its own unit. */
export function OtherAmount({ amount }: { amount: Amount }) {
  const written = otherAmount(amount);
  return <span className="tabular-nums">{written.isCurrency ? text.notConverted(written.text) : written.text}</span>;
}
