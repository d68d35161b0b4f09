import { roundUsd, usd } from '../../text/format.ts';
import { text } from '../../text/ui-text.ts';

interface MoneyProps {
  /** A decimal string in USD; null: unknown, which is not zero. */
  readonly amount: string | null;
  /** With an explicit plus sign, as in a ledger. */
  readonly signed?: boolean;
  /** What one has is never rounded up. */
  readonly rest?: boolean;
}

/** An amount, rounded to what one reads; exact on hover, to screen readers and in copies. */
export function Money({ amount, signed = false, rest = false }: MoneyProps) {
  if (amount === null) return <span className="text-fg-3">{text.unknownAmount}</span>;
  const sign = signed && !amount.startsWith('-') ? '+' : '';
  const exact = sign + usd(amount);
  const shown = sign + roundUsd(amount, { towards: rest ? 'down' : 'nearest' });
  if (shown === exact) return <data value={amount}>{exact}</data>;
  return (
    <data value={amount} title={exact} className="relative">
      <span className="sr-only">{exact}</span>
      <span aria-hidden className="select-none">
        {shown}
      </span>
    </data>
  );
}

/** A sentence around an amount. */
export function MoneyIn({ text: sentence, amount }: { text: (usd: string) => string; amount: string }) {
  const exact = usd(amount);
  const [before = '', ...after] = sentence(exact).split(exact);
  return (
    <>
      {before}
      <Money amount={amount} />
      {after.join(exact)}
    </>
  );
}
