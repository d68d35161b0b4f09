import type { Message } from '#shared/contract/chat/conversations.ts';
import { type ProviderName, useProviderName } from '../../../api/use-provider-name.ts';
import { lazyView } from '../../../page/lazy-view.tsx';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { text } from '../../../text/chat-text.ts';
import { usd } from '../../../text/format.ts';
import { text as views } from '../../../text/shell-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { useActions } from '../state/message-actions.ts';
import type { ThreadItem } from '../state/thread-items.ts';

/**
 * What providers do when the gateway closes a stream, according to the source below. Providers in `stops` end the
 * computation and charge only what they have written. Providers in `goesOn` finish the answer unseen and charge all of
 * it. For other providers this is unknown; nothing is guessed from the kind of provider.
 */
const afterClosing = {
  source: 'https://openrouter.ai/docs/api-reference/streaming (Stream Cancellation, Provider Support)',
  publisher: 'OpenRouter',
  /** Date of the source. */
  asOf: '2026-11-21',
  stops: ['openai', 'anthropic', 'deepseek', 'xai', 'fireworks', 'together'],
  goesOn: ['google', 'groq', 'mistral', 'perplexity'],
} as const;

/** The app’s own provider. */
const own: ReadonlySet<string> = new Set(['sandbox']);
const stops: ReadonlySet<string> = new Set(afterClosing.stops);
const goesOn: ReadonlySet<string> = new Set(afterClosing.goesOn);

/**
 * Providers that count an answer's tokens only at its end. The built-in gateway reads on for that count, for a minute
 * at most.
 */
const countLast: ReadonlySet<string> = new Set(['openai', 'deepseek', 'xai', 'fireworks', 'together']);

/** After Stop: what was billed, and whether the provider may charge for more than what arrived. */
export function afterStop(
  { costUsd, costSource, bill, servedProvider, requestId, finishReason }: Message,
  providerName: ProviderName,
): string {
  if (servedProvider === null && requestId === null) return text.stoppedBefore;
  const provider = providerName(servedProvider ?? '');
  const id = servedProvider ?? '';
  const cost = costAfterStop(costUsd, costSource, bill?.upTo);
  // The user stopped while tools waited or ran; the provider had finished by then.
  if (finishReason !== null) return cost;
  // The sentence already states the upper bound, so no explanation is needed.
  if (costSource === 'estimated' && bill?.upTo) return cost;
  if (countLast.has(id) && costSource !== 'estimated')
    return isKnown(costUsd, costSource) ? cost : `${cost} ${text.countedAtEnd(provider)}`;
  return `${cost} ${chargesAfterStop(id, provider)}`;
}

const isKnown = (costUsd: string | null, source: Message['costSource']): boolean =>
  costUsd !== null && source !== 'unknown';

function costAfterStop(costUsd: string | null, source: Message['costSource'], upTo: string | undefined): string {
  if (source === 'uncharged') return text.stopUncharged;
  if (costUsd !== null && source === 'estimated' && upTo) return text.stopCostUpTo(usd(costUsd), usd(upTo));
  return costUsd !== null && isKnown(costUsd, source) ? text.stopCost(usd(costUsd), source) : text.stopCostOpen;
}

function chargesAfterStop(id: string, name: string): string {
  const { publisher, asOf } = afterClosing;
  if (own.has(id)) return text.providerStops(name);
  if (stops.has(id)) return `${text.providerStops(name)} ${text.accordingTo(publisher, asOf)}`;
  if (goesOn.has(id)) return `${text.providerGoesOn(name)} ${text.accordingTo(publisher, asOf)}`;
  return text.providerUnknown;
}

const ErrorBlock = lazyView(() => import('./error-block.tsx').then((file) => file.ErrorBlock));

interface AnswerEndProps {
  item: ThreadItem;
  busy: boolean;
  active: boolean;
  /** No message follows, so the answer can be continued. */
  last: boolean;
}

/** Shows how an answer ended, unless it is complete, and offers the next step. */
export function AnswerEnd({ item, busy, active, last }: AnswerEndProps) {
  const actions = useActions();
  const calls = item.finishReason === 'tool_calls' && item.toolCalls.length > 0;
  const begun = item.text.trim() !== '' || item.toolCalls.length > 0;
  const goOn = last && begun && (
    <Button className="mt-2" disabled={busy} tabIndex={active ? 0 : -1} onClick={() => actions.continue(item)}>
      {text.continue}
    </Button>
  );
  switch (item.status) {
    case 'streaming':
      return null;
    case 'error':
      return (
        <>
          <ViewBoundary name={views.message}>
            <ErrorBlock message={item} busy={busy} last={last} />
          </ViewBoundary>
          {goOn && <div>{goOn}</div>}
        </>
      );
    case 'cancelled':
      return (
        <div className="mt-2 text-fg-2 text-sm">
          <Stopped item={item} />
          {goOn}
        </div>
      );
    case 'interrupted':
      return (
        <div className="mt-2 text-fg-2 text-sm">
          <p>{text.interrupted}</p>
          {goOn}
        </div>
      );
    case 'done':
      if (calls) {
        const limited = item.toolCalls.some(({ run }) => run?.state === 'skipped');
        return (
          <div className="mt-2 text-fg-2 text-sm">
            <p>{limited ? text.toolLimit : text.toolsCut}</p>
            {goOn}
          </div>
        );
      }
      if (item.text.trim() === '' && item.toolCalls.length === 0 && item.attachments.length === 0)
        return <p className="text-fg-3 text-sm">{text.noText}</p>;
      return item.finishReason === 'length' ? (
        <div className="mt-2 text-fg-2 text-sm">
          <p>{text.tooLong}</p>
          {goOn}
        </div>
      ) : null;
  }
}

function Stopped({ item }: Pick<AnswerEndProps, 'item'>) {
  const providerName = useProviderName();
  return (
    <p>
      {text.stopped} {afterStop(item, providerName)}
    </p>
  );
}
