import { Hand } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ToolDecision } from '#shared/contract/chat/chat.ts';
import type { ToolCall, ToolRun } from '#shared/contract/chat/conversations.ts';
import { getHandle } from '../../../handles/handles.ts';
import { text } from '../../../text/chat-text.ts';
import { getTitle } from '../../../text/tools-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { ExactBlock } from './exact-block.tsx';
import { spacedJson } from './exact-text.ts';
import { useDecideTool } from './use-decide-tool.ts';

interface ToolApprovalProps {
  messageId: string;
  at: number;
  call: ToolCall;
  run: ToolRun;
}

/** Asks for approval of a tool call, with its exact arguments. Nothing runs before a decision. */
export function ToolApproval({ messageId, at, call, run }: ToolApprovalProps) {
  const card = useRef<HTMLFieldSetElement>(null);
  const decide = useDecideTool();
  const { failed } = useNotify();
  useEffect(() => {
    if (mayMoveFocus() && card.current) card.current.focus();
  }, []);
  const say = (decision: ToolDecision) => {
    focusNext(card.current);
    decide.mutate({ messageId, call: at, decision }, { onError: (error) => failed(text.toolDecision, error) });
  };
  return (
    <fieldset
      ref={card}
      tabIndex={-1}
      data-asks
      disabled={decide.isPending}
      className="mb-3 min-w-0 rounded-menu border border-control bg-raised p-3 text-sm shadow-rest"
    >
      <legend className="sr-only">{text.toolAsks(getTitle(call), run.server)}</legend>
      <p className="flex items-center gap-2 font-medium" aria-hidden>
        <Hand size={15} className="shrink-0 text-accent" />
        <span className="min-w-0 wrap-anywhere">{text.toolAsks(getTitle(call), run.server)}</span>
      </p>
      <p className="mt-1 text-fg-2 text-xs">{text.toolAsksNote}</p>
      <div className="my-2">
        <ExactBlock label={text.toolArguments} value={spacedJson(call.arguments)} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => say('deny')}>{text.toolDecisions.deny}</Button>
        <Button onClick={() => say('once')}>{text.toolDecisions.once}</Button>
        <Button onClick={() => say('chat')}>{text.toolDecisions.chat}</Button>
        <Button onClick={() => say('always')}>{text.toolDecisions.always}</Button>
      </div>
      <p className="mt-2 text-fg-3 text-xs">{text.toolAlwaysNote}</p>
    </fieldset>
  );
}

/**
 * Does not take the focus from someone who writes. It goes to the card, never to a button: a stray key decides nothing.
 */
function mayMoveFocus(): boolean {
  const at = document.activeElement;
  return at === null || at === document.body || getHandle('composer')?.isIdle() === true;
}

/** Focuses the next open approval, or the composer. */
function focusNext(card: HTMLElement | null): void {
  const others = [...document.querySelectorAll<HTMLElement>('[data-asks]')].filter((other) => other !== card);
  (others[0] ?? getHandle('composer'))?.focus();
}
