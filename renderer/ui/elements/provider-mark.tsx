import { classNames } from './class-names.ts';

/** White text has a contrast of 4.5:1 on each of these. */
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

/** A provider’s initial on its colour. Decorative and an SVG, so that it is no part of the name beside it. */
export function ProviderMark({ provider, size = 20 }: { provider: string; size?: number }) {
  const hash = [...provider].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0);
  const colour = colours[known[provider] ?? hash % colours.length];
  return (
    <svg
      viewBox="0 0 20 20"
      width={size}
      height={size}
      aria-hidden="true"
      className={classNames('swatch shrink-0 rounded-tag', colour)}
    >
      <text x="10" y="14.2" textAnchor="middle" fill="white" fontSize="11.5" fontWeight="650">
        {(provider[0] ?? '?').toUpperCase()}
      </text>
    </svg>
  );
}
