import { useState } from 'react';
import type { RoutingDecision } from '#shared/contract/chat/routing.ts';
import { routingText as text } from '../../../text/routing-text.ts';
import { Sheet } from '../../../ui/dialogs/dialog.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { RouterCandidates } from './router-candidates.tsx';
import { RouterChoices } from './router-choices.tsx';
import { useRouting } from './use-routing.ts';

interface RouterCardProps {
  conversationId: string;
  messageId: string;
}

/** Explains the router’s choice below an answer. */
export function RouterCard(props: RouterCardProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <span>{text.auto}</span>
      <button
        type="button"
        className="rounded-tag underline underline-offset-2 hover:text-fg"
        onClick={() => setOpen(true)}
      >
        {text.open}
      </button>
      <Sheet open={open} onOpenChange={setOpen} title={text.open}>
        {open && <Content {...props} />}
      </Sheet>
    </>
  );
}

function Content({ conversationId, messageId }: RouterCardProps) {
  const { data, isError, error, refetch } = useRouting(messageId);
  if (isError) return <Failure title={text.failed} error={error} onRetry={() => void refetch()} />;
  if (!data) return <SkeletonRows rows={5} label={text.loading} />;
  if (!data.known) return <p className="text-fg-2 text-sm">{text.unknown[data.why]}</p>;
  const { decision } = data;
  return (
    <div className="flex flex-col gap-5 text-sm">
      <div className="flex flex-col gap-1">
        <p className="font-medium">{getSentence(decision)}</p>
        <p className="text-fg-2">
          {text.basis(decision.policy, decision.tier)} {decision.relaxed && text.relaxed}
        </p>
      </div>
      <RouterChoices conversationId={conversationId} model={decision.selected} />
      <Alternative alternative={decision.alternative} />
      <Attempts attempts={decision.attempts} />
      {decision.candidates.length > 0 && <RouterCandidates decision={decision} />}
    </div>
  );
}

/** The choice and its reason in one sentence. */
export function getSentence({ selected, candidates, attempts }: RoutingDecision): string {
  const failed = attempts.filter((attempt) => attempt.failed).length;
  if (failed > 0) return failed < attempts.length ? text.fallback(selected.name, failed) : text.allFailed(failed);
  const ranked = candidates.filter(({ score }) => score !== null);
  const best = ranked[0]?.score ?? null;
  const own = ranked.find(({ id }) => id === selected.id)?.score ?? null;
  if (best === null || own === null) return text.plain(selected.name);
  return own < best ? text.stayed(selected.name) : text.best(selected.name, ranked.length);
}

function Alternative({ alternative }: Pick<RoutingDecision, 'alternative'>) {
  return (
    <section aria-label={text.price} className="flex flex-col gap-1 rounded-menu border border-line bg-sunken p-3">
      {alternative ? (
        <>
          <p className="tabular-nums">
            {text.alternative(alternative.name, alternative.costUsd)}
            {text.difference(alternative.moreUsd)}
          </p>
          <p className="text-fg-3 text-xs">{text.alternativeNote}</p>
        </>
      ) : (
        <p className="text-fg-2">{text.noAlternative}</p>
      )}
    </section>
  );
}

function Attempts({ attempts }: Pick<RoutingDecision, 'attempts'>) {
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-medium text-fg-2 text-xs">{text.attempts}</h3>
      <ol aria-label={text.attempts} className="divide-y divide-line">
        {attempts.map((attempt, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is history and does not change; a model may be in it twice
          <li key={at} className="flex items-baseline gap-3 py-1.5">
            <span className="min-w-0 flex-1 wrap-anywhere">
              {attempt.name}{' '}
              <span className={attempt.failed ? 'text-bad' : 'text-fg-2'}>
                {attempt.failed ? text.attemptFailed(attempt.code) : text.answered}
              </span>
            </span>
            <span className="text-fg-3 text-xs tabular-nums">{text.seconds(attempt.latencyMs)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
