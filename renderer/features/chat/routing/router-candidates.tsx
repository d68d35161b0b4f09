import type { RoutingDecision } from '#shared/contract/chat/routing.ts';
import { useProviderName } from '../../../api/use-provider-name.ts';
import { usdPerMillion } from '../../../text/format.ts';
import { routingText as text } from '../../../text/routing-text.ts';
import { Badge } from '../../../ui/elements/badge.tsx';

/** Up to this many excluded models are shown at once; a longer list is collapsed. */
const openUpTo = 6;

/** The candidates by score, then the excluded models with their reasons. */
export function RouterCandidates({
  decision: { selected, candidates },
}: {
  decision: Pick<RoutingDecision, 'selected' | 'candidates'>;
}) {
  const providerName = useProviderName();
  const getProvider = (id: string) => (id.includes('/') ? `${providerName(id.slice(0, id.indexOf('/')))} · ` : '');
  const ranked = candidates.filter(({ score }) => score !== null);
  const eliminated = candidates.filter(({ score }) => score === null);
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-medium text-fg-2 text-xs">{text.candidates}</h3>
      <ol aria-label={text.candidates} className="divide-y divide-line">
        {ranked.map(({ id, name, score, price }) => (
          <li key={id} className="flex flex-col py-1.5">
            <span className="flex items-center gap-2">
              <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
              {id === selected.id && <Badge tone="ok">{text.chosen}</Badge>}
              <span className="text-fg-2 text-xs tabular-nums">{text.score(score ?? 0)}</span>
            </span>
            <span className="text-fg-3 text-xs tabular-nums">
              {getProvider(id)}
              {price ? text.perMillion(usdPerMillion(price.prompt), usdPerMillion(price.completion)) : text.noPrice}
            </span>
          </li>
        ))}
      </ol>
      {eliminated.length > 0 && (
        <details open={eliminated.length <= openUpTo} className="mt-2">
          <summary className="cursor-pointer rounded-tag py-1 text-fg-2 text-xs">
            {text.eliminated(eliminated.length)}
          </summary>
          <ul className="divide-y divide-line">
            {eliminated.map(({ id, name, excluded }) => (
              <li key={id} className="flex flex-col py-1.5">
                <span className="wrap-anywhere">{name}</span>
                <span className="text-fg-2 text-xs">
                  {getProvider(id)}
                  {excluded.map(text.exclusion).join('; ')}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
