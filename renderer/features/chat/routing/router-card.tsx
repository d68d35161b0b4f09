import { useState } from 'react';
import type { RoutingDecision } from '#shared/contract/chat/routing.ts';
import { routingText as text } from '../../../text/routing-text.ts';
import { Sheet } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useDrafts } from '../../drafts/drafts-store.ts';
import { useOptions } from '../../drafts/options/use-options.ts';
import { RouterCandidates } from './router-candidates.tsx';
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
        {attempts.map((attempt, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is history and does not change; a model may be in it twice
          <li key={index} className="flex items-baseline gap-3 py-1.5">
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

interface RouterChoicesProps {
  conversationId: string;
  model: { readonly id: string; readonly name: string };
}

/** Actions after a choice: pin this model, or never use it in this chat. */
function RouterChoices({ conversationId, model: { id, name } }: RouterChoicesProps) {
  const pinned = useDrafts(({ models }) => models[conversationId] === id);
  const setModel = useDrafts((drafts) => drafts.setModel);
  const { query, set } = useOptions(conversationId);
  const { failed } = useNotify();
  const ignored = query.data?.ignore.includes(id) ?? false;
  const toggle = () => {
    if (!query.data) return;
    const { ignore, names } = query.data;
    set.mutate(
      {
        ...query.data,
        ignore: ignored ? ignore.filter((other) => other !== id) : [...ignore, id],
        names: { ...names, [id]: name },
      },
      { onError: (error) => failed(text.notKept, error) },
    );
    // Otherwise the pinned model would still be asked.
    if (!ignored && pinned) setModel(conversationId, 'router');
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button aria-disabled={pinned} onClick={() => setModel(conversationId, id)}>
          {pinned ? text.pinned : text.pin}
        </Button>
        <Button disabled={!query.data} onClick={toggle}>
          {ignored ? text.allow : text.never}
        </Button>
      </div>
      <p role="status" className="text-fg-2 text-xs empty:hidden">
        {ignored && text.neverNote(name)}
      </p>
    </div>
  );
}
