import type { CapMeter } from '#shared/contract/chat/caps.ts';
import { share, usd } from '../../../text/format.ts';
import { text } from '../../../text/settings-text.ts';
import { classNames } from '../../../ui/elements/class-names.ts';

const colours = { free: 'bg-accent', near: 'bg-warn', full: 'bg-bad' } as const;

/** How full each cap of a period is, in words and as a bar. */
export function CapMeters({ meters }: { meters: readonly CapMeter[] }) {
  if (meters.length === 0) return null;
  return (
    <ul aria-label={text.caps.meters} className="mb-4 flex flex-col gap-3">
      {meters.map(({ scope, model, capUsd, spentUsd, share: part, state }) => {
        const said = text.caps.meter(usd(spentUsd), usd(capUsd), share(part));
        return (
          <li key={`${scope} ${model}`}>
            <div className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm tabular-nums">
              <span className="min-w-0 break-words">
                {scope === 'model' ? text.caps.ofModel(model ?? '') : text.caps.scopes[scope]}
              </span>
              <span className="text-fg-2">{said}</span>
            </div>
            <div aria-hidden className="mt-1 h-1.5 overflow-hidden rounded-full bg-active">
              <div
                className={classNames('h-full rounded-full', colours[state])}
                style={{ width: `${Math.min(100, part * 100)}%` }}
              />
            </div>
            {state !== 'free' && (
              <p className={classNames('mt-1 text-xs', state === 'full' ? 'text-bad' : 'text-warn')}>
                {text.caps.states[state]}
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}
