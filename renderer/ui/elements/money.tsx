import { roundUsd, usd } from '../../text/format.ts';
import { text } from '../../text/ui-text.ts';

interface MoneyProps {
  /** A decimal string in USD. Null: unknown, which is not zero. */
  readonly amount: string | null;
  /** Shows an explicit plus sign, as in a ledger. */
  readonly signed?: boolean;
  /** Rounds a balance down and a debt up, never in the person's favour. */
  readonly rest?: boolean;
  /** Shows every digit, for amounts that people add up. */
  readonly exactly?: boolean;
}

/** An amount rounded for reading. It is exact on hover, for screen readers and in copies. */
export function Money({ amount, signed = false, rest = false, exactly = false }: MoneyProps) {
  if (amount === null) return <span className="text-fg-3">{text.unknownAmount}</span>;
  const sign = signed && !amount.startsWith('-') ? '+' : '';
  const exact = sign + usd(amount);
  const towards = rest ? (amount.startsWith('-') ? 'up' : 'down') : 'nearest';
  const shown = exactly ? exact : sign + roundUsd(amount, { towards });
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
