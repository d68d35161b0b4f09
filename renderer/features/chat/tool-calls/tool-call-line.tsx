import { Ban, Check, CircleAlert, CircleStop, Hand, LoaderCircle, Wrench } from 'lucide-react';
import { useEffect } from 'react';
import type { ToolCall, ToolRun } from '#shared/contract/chat/conversations.ts';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { text } from '../../../text/chat-text.ts';
import { getTitle } from '../../../text/tools-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { useCopy } from '../../../ui/notices/use-copy.ts';
import { Collapsible } from '../state/collapsible.tsx';
import { ExactBlock } from './exact-block.tsx';
import { spacedJson } from './exact-text.ts';
import { ToolApproval } from './tool-approval.tsx';

const icons = {
  waiting: Hand,
  running: LoaderCircle,
  done: Check,
  failed: CircleAlert,
  denied: Ban,
  skipped: Ban,
  stopped: CircleStop,
} as const satisfies Record<ToolRun['state'], unknown>;

interface ToolCallLineProps {
  messageId: string;
  /** Index of the call in the message. */
  at: number;
  call: ToolCall;
  /** Its answer is running, so it can still be decided. */
  live: boolean;
}

/** A tool call: server, state and duration; arguments and result when expanded. */
export function ToolCallLine({ messageId, at, call, live }: ToolCallLineProps) {
  const { run } = call;
  const part = `${messageId}:call:${at}`;
  useSought(messageId, part, call);
  if (run?.state === 'waiting' && live) return <ToolApproval messageId={messageId} at={at} call={call} run={run} />;
  const Icon = run ? icons[run.state] : Wrench;
  const tone = run?.state === 'failed' ? 'text-bad' : run?.state === 'done' ? 'text-ok' : '';
  const label = (
    <>
      <Icon size={14} className={`shrink-0 ${tone} ${run?.state === 'running' ? 'spin' : ''}`} aria-hidden />
      <span className="truncate font-medium">{getTitle(call).slice(0, 200)}</span>
      {run?.server && <span className="truncate text-fg-3 max-sm:hidden">{run.server}</span>}
      <span className="shrink-0 text-fg-3 text-xs tabular-nums">{stateWords(run)}</span>
    </>
  );
  return (
    <Collapsible id={part} label={label}>
      <div className="mt-1 mb-2 ml-1.5 flex flex-col gap-2 border-line border-l pl-4">
        <ExactText
          label={text.toolArguments}
          copyLabel={text.copyArguments}
          value={spacedJson(call.arguments)}
          copied={call.arguments}
        />
        {run && run.result !== '' && (
          <ExactText label={text.toolResult} copyLabel={text.copyResult} value={run.result} copied={run.result} />
        )}
      </div>
    </Collapsible>
  );
}

/** Expands it where it has the words for which its message was opened. */
function useSought(messageId: string, part: string, { run }: ToolCall): void {
  const sought = useThreadView((view) => (view.sought?.messageId === messageId ? view.sought : null));
  useEffect(() => {
    const given = run?.result.toLowerCase() ?? '';
    if (!sought?.words.some((word) => given.includes(word.toLowerCase()))) return;
    const { setExpanded, seek } = useThreadView.getState();
    setExpanded(part, true);
    seek(null);
  }, [sought, part, run]);
}

function stateWords(run: ToolRun | undefined): string {
  if (!run) return text.toolStates.none;
  const { state, startedAt, finishedAt } = run;
  const took = startedAt !== null && finishedAt !== null ? text.toolTook(finishedAt - startedAt) : null;
  return [text.toolStates[state], took].filter(Boolean).join(' · ');
}

interface ExactTextProps {
  label: string;
  copyLabel: string;
  value: string;
  copied: string;
}

/** Foreign text as it is. */
function ExactText({ label, copyLabel, value, copied: source }: ExactTextProps) {
  const [copied, copy] = useCopy();
  return (
    <div className="min-w-0">
      <div className="flex items-center justify-between gap-2">
        <p className="font-medium text-fg-3 text-xs">{label}</p>
        <Button variant="quiet" className="h-6 px-2 text-xs" onClick={() => void copy(source)}>
          {copied ? text.copied : copyLabel}
        </Button>
      </div>
      <ExactBlock label={label} value={value} />
    </div>
  );
}
