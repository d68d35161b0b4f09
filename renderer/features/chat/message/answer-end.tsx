import { useProviderName } from '../../../api/use-provider-name.ts';
import { lazyView } from '../../../page/lazy-view.tsx';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { text } from '../../../text/chat-text.ts';
import { text as views } from '../../../text/shell-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { useActions } from '../state/message-actions.ts';
import type { ThreadItem } from '../state/thread-items.ts';
import { afterStop } from './after-stop.ts';

const ErrorBlock = lazyView(() => import('./error-block.tsx').then((file) => file.ErrorBlock));

interface AnswerEndProps {
  item: ThreadItem;
  busy: boolean;
  active: boolean;
  /** No message follows: it can be continued. */
  last: boolean;
}

/** How an answer ended, unless it is complete, and what to do next. */
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
