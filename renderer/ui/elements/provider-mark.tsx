import { Route } from 'lucide-react';
import { classNames } from './class-names.ts';
import { providerMarks } from './provider-marks.ts';

/** White has a contrast of 4.5:1 on each of these. */
const colours = [
  'bg-[#b1523f]',
  'bg-[#0a7f5c]',
  'bg-[#3b6bb5]',
  'bg-[#5a63b8]',
  'bg-[#a2592a]',
  'bg-[#a3486f]',
  'bg-[#00789c]',
  'bg-[#55782a]',
];
const known: Record<string, number> = {
  anthropic: 0,
  openai: 1,
  google: 2,
  deepseek: 3,
  mistral: 4,
  xai: 5,
  sandbox: 6,
};

interface ProviderMarkProps {
  provider: string;
  size?: number;
}

/**
 * A provider’s mark, or else its initial, on its colour. The router has an icon of its own. The mark is decorative and
 * hidden from screen readers, because the name is next to it.
 */
export function ProviderMark({ provider, size = 20 }: ProviderMarkProps) {
  const hash = [...provider].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0);
  const swatchClass = classNames(
    'swatch block shrink-0 rounded-tag',
    colours[known[provider] ?? hash % colours.length],
  );
  if (provider === 'router') {
    return (
      <span
        aria-hidden
        className="swatch flex shrink-0 items-center justify-center rounded-tag bg-ink text-on-ink"
        style={{ width: size, height: size }}
      >
        <Route size={Math.round(size * 0.66)} strokeWidth={2.25} />
      </span>
    );
  }
  const mark = Object.hasOwn(providerMarks, provider) ? providerMarks[provider] : undefined;
  if (mark) {
    return (
      <span aria-hidden className={swatchClass} style={{ width: size, height: size }}>
        <span
          className="block size-full"
          style={{ background: 'white', mask: `url("${mark}") center / 66% no-repeat` }}
        />
      </span>
    );
  }
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" className={swatchClass}>
      <text x="10" y="14.2" textAnchor="middle" fill="white" fontSize="11.5" fontWeight="650">
        {(provider[0] ?? '?').toUpperCase()}
      </text>
    </svg>
  );
}
